// Owns the reading of other hosts' files: every server in them, as written, with where it was found.
import { DocumentProblem, parseDocument } from "../config/document.ts";
import { pathsOf, type Machine } from "../places.ts";
import { isEntry, namesOf, type RawEntry } from "../servers/entry.ts";
import { counted } from "../text/amount.ts";
import { fileProblem } from "../usage-error.ts";
import { readBounded } from "../whole-file.ts";
import { hostFiles, type Host, type HostFile } from "./hosts.ts";

export interface Found {
  readonly host: Host;
  readonly file: string;
  readonly name: string;
  readonly entry: unknown;
  /** What relative paths in it are relative to. */
  readonly folder: string;
  /** It came with the project, and may have been written by somebody else. */
  readonly isProject: boolean;
}

export interface Finding {
  readonly found: readonly Found[];
  /** Files that are there and were read. */
  readonly files: readonly string[];
  /** Files that are there and cannot be read, and what was left out; each a sentence without its file. */
  readonly problems: readonly { readonly file: string; readonly problem: string }[];
}

/** A file of Claude Code also holds the history of its sessions. */
const MAX_BYTES = 64 << 20;

/** Looks at every file that may be there; of `hosts` alone when given. Nothing is started. */
export async function findServers(
  machine: Machine & { readonly cwd: string },
  hosts: readonly Host[] | undefined,
): Promise<Finding> {
  const found: Found[] = [];
  const files: string[] = [];
  const problems: { file: string; problem: string }[] = [];
  for (const file of hostFiles(machine)) {
    if (hosts !== undefined && !hosts.includes(file.host)) continue;
    try {
      const value = parseDocument((await readBounded(file.path, MAX_BYTES)).toString("utf8")).value;
      const { servers, left } = serversIn(value, file, machine);
      if (servers.length > 0 || file.kind !== "settings") files.push(file.path);
      found.push(...servers);
      if (left > 0)
        problems.push({
          file: file.path,
          problem: `servers of ${counted(left, "other project")} were left out`,
        });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR")
        problems.push({ file: file.path, problem: problemOf(error) });
    }
  }
  return { found, files, problems };
}

function serversIn(
  value: unknown,
  file: HostFile,
  machine: Machine & { readonly cwd: string },
): { readonly servers: readonly Found[]; readonly left: number } {
  if (!isEntry(value)) throw new Error("it holds no object");
  const listed = (servers: unknown, folder: string): readonly Found[] =>
    namesOf(servers).map((name) => ({
      host: file.host,
      file: file.path,
      name,
      entry: (servers as RawEntry)[name],
      folder,
      isProject: file.isProject,
    }));
  if (file.kind === "settings") {
    const whole = value["mcp.servers"] ?? (isEntry(value["mcp"]) ? value["mcp"]["servers"] : undefined);
    return { servers: listed(whole, file.folder), left: 0 };
  }
  const own = listed(value["mcpServers"] ?? value["servers"], file.folder);
  if (file.kind !== "claude") return { servers: own, left: 0 };
  // Servers of one project are meant for whoever works in it.
  const projects = isEntry(value["projects"]) ? Object.entries(value["projects"]) : [];
  const withServers = projects.flatMap(([path, project]) =>
    isEntry(project) && namesOf(project["mcpServers"]).length > 0
      ? [{ path, servers: project["mcpServers"] }]
      : [],
  );
  const here = withServers.filter(({ path }) => holds(path, machine));
  const local = here
    .toSorted((a, b) => b.path.length - a.path.length)
    .flatMap(({ path, servers }) => listed(servers, path));
  return { servers: [...local, ...own], left: withServers.length - here.length };
}

/** Whether the command runs in this folder or below it. */
function holds(folder: string, machine: Machine & { readonly cwd: string }): boolean {
  const { isAbsolute, relative } = pathsOf(machine);
  if (!isAbsolute(folder)) return false;
  const way = relative(folder, machine.cwd);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

function problemOf(error: unknown): string {
  if (error instanceof DocumentProblem) {
    const { line, column } = error.position;
    return `not valid JSON at ${line}:${column}: ${error.message}`;
  }
  // Thousands of levels of brackets.
  if (error instanceof RangeError) return "it is nested too deeply";
  return fileProblem(error);
}
