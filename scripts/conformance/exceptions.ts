// Owns the list of what is required and not met, as written in exceptions.yml.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import type { Exception } from "./verdict.ts";

export type Side = "client" | "server";
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof REVISIONS)[number];

const FILE = new URL("./exceptions.yml", import.meta.url);
const listSchema = z.array(
  z.strictObject({
    side: z.enum(["client", "server"]),
    revisions: z.array(z.enum(REVISIONS)).min(1),
    reason: z.string().min(10),
    /** `scenario`, or `scenario:check`, which excepts less. */
    except: z.array(z.string().min(1)).min(1),
  }),
);

/** Throws for a list that cannot be read, or that names one thing twice. */
export function readExceptions(side: Side, revision: Revision): readonly Exception[] {
  const entries = listSchema.parse(parse(readFileSync(FILE, "utf8")));
  const mine = entries.filter((entry) => entry.side === side && entry.revisions.includes(revision));
  const exceptions = mine.flatMap(({ except, reason }) => except.map((what) => ({ what, reason })));
  const twice = exceptions.find(({ what }, at) => exceptions.findIndex((one) => one.what === what) !== at);
  if (twice !== undefined)
    throw new Error(`exceptions.yml names ${twice.what} twice for ${side} ${revision}`);
  return exceptions;
}
