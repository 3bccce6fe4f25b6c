// What went wrong last night? Reads every log, returns six lines.
const { content: listing } = await files.list_directory({ path: "." });
const names = [...listing.matchAll(/^\[FILE\] (.+\.log)$/gm)].map(([, name]) => name);

// All at once: the host bounds how many are read at a time.
const texts = await Promise.all(names.map((path) => files.read_text_file({ path })));
const lines = texts.flatMap(({ content }) => content.trimEnd().split("\n"));

const requests = new Map<string, number>();
const failures = new Map<string, number>();
const reasons = new Map<string, number>();
const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
for (const line of lines) {
  const [, level, service, what] = /^\S+ (\w+) (\w+) (.*)$/.exec(line) ?? [];
  add(requests, service);
  if (level !== "ERROR") continue;
  add(failures, service);
  add(reasons, `${service}: ${what.replace(/ request=\d+$/, "")}`);
}

const top = (counts: Map<string, number>, n: number) => [...counts].sort((a, b) => b[1] - a[1]).slice(0, n);
const failed = failures.values().reduce((sum, count) => sum + count, 0);
console.log(`${names.length} files, ${lines.length} requests, ${failed} failed`);
for (const [service, count] of top(failures, 2))
  console.log(
    `  ${service}: ${count} of ${requests.get(service)} (${((100 * count) / requests.get(service)!).toFixed(1)} %)`,
  );
console.log("most frequent:");
for (const [reason, count] of top(reasons, 2)) console.log(`  ${String(count).padStart(4)} × ${reason}`);
