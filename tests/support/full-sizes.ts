/** Whether tests of load take the sizes that are promised: in CI, and wherever `CORACLE_TEST_LOAD=1` asks for it. */
export const FULL = process.env["CI"] === "true" || process.env["CORACLE_TEST_LOAD"] === "1";
