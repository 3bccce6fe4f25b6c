// Owns what may be given as `pins`, and the pins it makes.
import { CallgateError } from "../contract/error.ts";
import { createPins, type Pins } from "./pins.ts";
import { createPinFile, type PinStore } from "./pins-file.ts";

/** Undefined without the option. Throws CONFIG_INVALID. */
export async function openPins(
  given: { readonly file: string } | PinStore | undefined,
  options: { readonly exempt: ReadonlySet<string> },
): Promise<Pins | undefined> {
  if (given === undefined) return undefined;
  return await createPins({ store: storeOf(given), exempt: options.exempt });
}

function storeOf(given: { readonly file: string } | PinStore): PinStore {
  const value: unknown = given;
  if (typeof value !== "object" || value === null) throw invalid("pins", "an object with file, or a store");
  if ("load" in given) {
    if (typeof given.load !== "function" || typeof given.save !== "function")
      throw invalid("pins", "a store with load and save");
    return given;
  }
  const { file, ...rest } = given;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(`pins.${unknown.slice(0, 80)}`, "nothing; there is file");
  if (typeof file !== "string" || file === "" || file.includes("\0")) throw invalid("pins.file", "a path");
  return createPinFile(file);
}

function invalid(path: string, expected: string): CallgateError {
  return new CallgateError("CONFIG_INVALID", `${path}: expected ${expected}`, { data: { path } });
}
