// Which licences are in node_modules, and which packages are not under a permissive one?
const PERMISSIVE = /^\(?(MIT|MIT-0|ISC|BSD|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|PSF-2\.0)\b/;

const { content: allowed } = await filesystem.list_allowed_directories({});
const root = allowed.split("\n")[1];

async function folders(path: string): Promise<string[]> {
  const { content } = await filesystem.list_directory({ path });
  return content
    .split("\n")
    .filter((line) => line.startsWith("[DIR] ") && !line.startsWith("[DIR] ."))
    .map((line) => line.slice("[DIR] ".length));
}

const top = await folders(root);
const scoped = await Promise.all(
  top
    .filter((name) => name.startsWith("@"))
    .map(async (scope) => (await folders(`${root}/${scope}`)).map((name) => `${scope}/${name}`)),
);
const names = [...top.filter((name) => !name.startsWith("@")), ...scoped.flat()];

interface Package {
  name: string;
  version: string;
  license: string;
}

async function readPackage(name: string): Promise<Package | undefined> {
  try {
    const { content } = await filesystem.read_text_file({ path: `${root}/${name}/package.json` });
    const { version = "?", license, licenses } = JSON.parse(content);
    const declared = license ?? licenses?.[0] ?? "none";
    return { name, version, license: typeof declared === "string" ? declared : (declared.type ?? "none") };
  } catch (error) {
    // A folder without a package.json, or with one that is no JSON, is no package.
    if (error instanceof ToolError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const packages = (await Promise.all(names.map(readPackage))).filter((one) => one !== undefined);
const byLicense = Object.entries(Object.groupBy(packages, (one) => one.license)).sort(
  ([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0),
);

const outliers = packages.filter(({ license }) => !PERMISSIVE.test(license));
await memory.create_entities({
  entities: outliers.map(({ name, version, license }) => ({
    name: `${name}@${version}`,
    entityType: "package",
    observations: [`license: ${license}`],
  })),
});
const stored = await memory.open_nodes({
  names: outliers.map(({ name, version }) => `${name}@${version}`),
});

const others = names.length - packages.length;
console.log(`${packages.length} packages${others > 0 ? ` (${others} folders are none)` : ""}, by licence:`);
for (const [license, list] of byLicense) console.log(`  ${String(list?.length).padStart(4)}  ${license}`);
console.log(`${stored.entities.length} not permissive, now in the knowledge graph:`);
for (const { name, observations } of stored.entities) console.log(`  ${name}: ${observations.join(", ")}`);
