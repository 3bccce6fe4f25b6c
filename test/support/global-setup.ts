// Builds the worker bundle once, so that tests run the code as it stands.
import { buildWorker } from "../../scripts/build-worker.ts";

export default async function setup(): Promise<void> {
  await buildWorker();
}
