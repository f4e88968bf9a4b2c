/** Whether load tests use the promised sizes: in CI, and if `CORACLE_TEST_LOAD=1` is set. */
export const FULL = process.env["CI"] === "true" || process.env["CORACLE_TEST_LOAD"] === "1";
