// Finds the large test data that is not in this repository (README: "Test data").
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder with `corpus/` and `cases/`, or undefined: tests then use the project's own fixtures. */
export const dataFolder: string | undefined = (() => {
  const folder = process.env["CALLGATE_TEST_DATA"];
  if (folder === undefined || folder === "") return undefined;
  if (!existsSync(folder)) throw new Error(`CALLGATE_TEST_DATA is ${folder}, which does not exist`);
  return folder;
})();

/** Reads a JSON file below the data folder; `undefined` when there is no data folder. */
export function readData(path: string): unknown {
  return dataFolder === undefined ? undefined : JSON.parse(readFileSync(join(dataFolder, path), "utf8"));
}
