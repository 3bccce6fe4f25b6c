// Tools with data of their own for each user: a local tool is told whose run calls it, and a script cannot change that.
import { defineTool, type LocalTool } from "callgate";
import { z } from "zod";

/** `onBackup` hears of backups that begin and end. */
export function noteTools(onBackup: (what: string) => void): Readonly<Record<string, LocalTool>> {
  const notes = new Map<string, string[]>();
  const of = (principal: string): string[] => {
    const own = notes.get(principal) ?? [];
    notes.set(principal, own);
    return own;
  };
  return {
    add: defineTool({
      description: "Adds a note.",
      input: z.object({ text: z.string() }),
      run: ({ text }, { principal }) => of(principal).push(text),
    }),
    list: defineTool({
      description: "Lists all notes.",
      input: z.object({}),
      output: z.object({ notes: z.array(z.string()) }),
      annotations: { readOnlyHint: true },
      run: (_input, { principal }) => ({ notes: of(principal) }),
    }),
    back_up: defineTool({
      description: "Copies all notes to a slow place.",
      input: z.object({}),
      run: async (_input, { principal, signal }) => {
        onBackup(`${principal}'s backup has begun`);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        onBackup(`${principal}'s backup was cancelled`);
      },
    }),
  };
}
