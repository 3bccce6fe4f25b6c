// Owns the messages between the compiler and its thread.
import type { CheckMode, CompileResult } from "../../contract/compile.ts";
import type { CatalogInput } from "./catalog-index.ts";
import type { CatalogTools } from "./checked-tools.ts";

/** `parse`: syntax, erasing and the engine's own parse; `check`: types. */
export type Stage = "parse" | "check";

export type ToThread =
  | { readonly kind: "catalog"; readonly catalog: CatalogInput | CatalogTools }
  | { readonly kind: "compile"; readonly id: number; readonly script: string; readonly check: CheckMode };

export type FromThread =
  /** TypeScript is loaded and has checked an empty script, or the catalog sent last is known. */
  | { readonly kind: "ready" }
  | { readonly kind: "result"; readonly id: number; readonly result: CompileResult }
  /** TypeScript gave up; its state is not to be trusted afterwards, so the thread ends. */
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly stage: Stage;
      readonly reason: "nesting" | "fault";
      readonly detail: string;
    };
