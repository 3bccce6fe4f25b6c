// Writes 50 log files of six services: always the same, so that the example always prints the same.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const SERVICES = ["auth", "cart", "catalog", "checkout", "mail", "search"];
const ERRORS = ["db timeout after 5000 ms", "upstream returned 503", "token expired", "disk almost full"];

/** Resolves to the texts that were written. */
export function writeLogs(folder: string): readonly string[] {
  let seed = 20_261_130;
  const upTo = (limit: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const line = (at: number): string => {
    const service = SERVICES[upTo(SERVICES.length)];
    const time = new Date(Date.UTC(2026, 10, 30) + at * 1_000).toISOString();
    // The checkout has a bad night: one of eight of its requests fails, of the others' one of a hundred.
    const fails = upTo(1_000) < (service === "checkout" ? 125 : 10);
    return fails
      ? `${time} ERROR ${service} ${ERRORS[upTo(service === "checkout" ? 2 : ERRORS.length)]} request=${upTo(99_999)}`
      : `${time} INFO ${service} GET /v1/${service}/${upTo(5_000)} 200 ${20 + upTo(900)}ms`;
  };
  return Array.from({ length: 50 }, (_, file) => {
    const text = Array.from({ length: 200 }, (_, at) => `${line(file * 200 + at)}\n`).join("");
    writeFileSync(join(folder, `app-${String(file).padStart(2, "0")}.log`), text);
    return text;
  });
}
