import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Commands that tests start may start the servers of their configurations; tests about trust say otherwise.
    env: { CALLGATE_TRUST: "all" },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ["./test/support/global-setup.ts"],
    reporters: ["default", "./test/support/closing-line.ts"],
  },
});

export default config;
