// Every promise of Callgate has an id. Each area lists its own in test/<area>/requirements.ts.
// A test cites ids with `verifies`; test/architecture.test.ts fails on an id that nothing cites.
import { requirements as adapters } from "./adapters/requirements.ts";
import { requirements as approval } from "./broker/approval-requirements.ts";
import { requirements as auth } from "./broker/upstream/auth-requirements.ts";
import { requirements as audit } from "./broker/audit-requirements.ts";
import { requirements as output } from "./broker/output-requirements.ts";
import { requirements as policy } from "./broker/policy-requirements.ts";
import { requirements as catalog } from "./stubs/catalog-requirements.ts";
import { requirements as check } from "./stubs/check-requirements.ts";
import { requirements as cli } from "./cli/requirements.ts";
import { requirements as containment } from "./runtime/containment-requirements.ts";
import { requirements as examples } from "./examples/requirements.ts";
import { requirements as field } from "./gate/field-requirements.ts";
import { requirements as gate } from "./gate/requirements.ts";
import { requirements as content } from "./content/requirements.ts";
import { requirements as lazy } from "./gate/catalog-requirements.ts";
import { requirements as contract } from "./contract/requirements.ts";
import { requirements as elicitation } from "./broker/elicitation-requirements.ts";
import { requirements as guest } from "./runtime/guest/requirements.ts";
import { requirements as importing } from "./cli/import-requirements.ts";
import { requirements as schema } from "./contract/schema-requirements.ts";
import { requirements as stubs } from "./stubs/requirements.ts";
import { requirements as repository } from "./repository/requirements.ts";
import { requirements as server } from "./server/requirements.ts";
import { requirements as trust } from "./cli/trust-requirements.ts";
import { requirements as upstream } from "./broker/upstream-requirements.ts";

export const requirements: Readonly<Record<string, string>> = {
  ...adapters,
  ...approval,
  ...audit,
  ...auth,
  ...output,
  ...policy,
  ...catalog,
  ...check,
  ...cli,
  ...containment,
  ...content,
  ...contract,
  ...examples,
  ...field,
  ...elicitation,
  ...gate,
  ...guest,
  ...importing,
  ...lazy,
  ...repository,
  ...schema,
  ...server,
  ...stubs,
  ...trust,
  ...upstream,
};

/** Names a test as its claim and cites the promises it shows. */
export function verifies(ids: string | readonly string[], claim: string): string {
  for (const id of typeof ids === "string" ? [ids] : ids) {
    if (!Object.hasOwn(requirements, id)) throw new Error(`unknown requirement id: ${id}`);
  }
  return claim;
}
