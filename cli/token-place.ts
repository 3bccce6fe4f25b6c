// Owns where the command line keeps sign-ins: with the user's other state, outside of every project.
import { createTokenFolder, type TokenStore } from "../index.ts";
import { pathsOf, stateFolder, type Machine } from "./places.ts";

/** Undefined when the machine has no home folder. */
export function tokenStore(machine: Machine): TokenStore | undefined {
  const folder = stateFolder(machine);
  return folder === undefined ? undefined : createTokenFolder(pathsOf(machine).join(folder, "sign-ins"));
}
