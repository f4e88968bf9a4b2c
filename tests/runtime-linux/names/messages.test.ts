// Reading queries, and writing answers to them.
import { decode, encode } from "dns-packet";
import { expect, test } from "vitest";
import { answers, answerWith, failure, readQuery, type Query } from "../../../runtime-linux/names/resolver/messages.js";
import { question } from "./queries.js";

const FORMERR = 1;
const SERVFAIL = 2;
const NOTIMP = 4;

test("a query's name is read without regard to case and to the last dot", () => {
  expect(readQuery(question("Web.Shop", "AAAA"))).toMatchObject({ name: "web.shop", type: "AAAA", mostBytes: 512 });
});

test("how large an answer may be is told by EDNS, within limits", () => {
  for (const [told, most] of [
    [100, 512],
    [1000, 1000],
    [65_000, 1232],
  ] as const) {
    expect(readQuery(withEdns(told))).toMatchObject({ mostBytes: most });
  }
});

test("an answer repeats the question and the extension", () => {
  const query = readQuery(withEdns(1232)) as Query;
  const answer = decode(answerWith(query, [{ type: "A", name: "web", ttl: 600, data: "10.0.0.1" }]));
  expect(answer).toMatchObject({ id: 7, flag_qr: true, flag_rd: true, flag_ra: true, flag_tc: false });
  expect(answer.questions).toMatchObject([{ name: "Web", type: "A" }]);
  expect(answer.answers).toMatchObject([{ data: "10.0.0.1", ttl: 600 }]);
  expect(answer.additionals).toMatchObject([{ type: "OPT" }]);
});

test("an answer that does not fit is cut at a record and marked", () => {
  const query = readQuery(question("web")) as Query;
  const all = Array.from({ length: 100 }, (_, at) => ({
    type: "A" as const,
    name: "web",
    ttl: 600,
    data: `10.0.0.${at}`,
  }));
  const cut = answerWith(query, all);
  expect(cut.length).toBeLessThanOrEqual(512);
  const { flag_tc, answers: left = [] } = decode(cut);
  expect(flag_tc).toBe(true);
  expect(left.length).toBeGreaterThan(20);
  expect(left).toMatchObject(all.slice(0, left.length).map(({ data }) => ({ data })));
  expect(decode(answerWith(query, all, 0xffff))).toMatchObject({ flag_tc: false, answers: { length: 100 } });
});

test("what is no query is not answered, or with the reason", () => {
  expect(readQuery(Buffer.alloc(11))).toBeUndefined();
  expect(readQuery(failure(question("web"), SERVFAIL))).toBeUndefined();
  expect(readQuery(Buffer.alloc(12))).toBe(FORMERR);
  const update = question("web");
  update[2] = 5 << 3;
  expect(readQuery(update)).toBe(NOTIMP);
  expect(readQuery(Buffer.concat([question("web").subarray(0, 14)]))).toBe(FORMERR);
  const pointers = Buffer.concat([question("web").subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]);
  expect(readQuery(pointers)).toBe(FORMERR);
  // To a byte of the head that is 0: the name would be the root's.
  pointers[13] = 6;
  expect(readQuery(pointers)).toBe(FORMERR);
});

test("a failure has the question and the code, and is whole whatever the query was", () => {
  const failed = failure(withEdns(1232), SERVFAIL);
  expect(decode(failed)).toMatchObject({ id: 7, rcode: "SERVFAIL", questions: [{ name: "Web" }], additionals: [] });
  expect(decode(failure(Buffer.alloc(12), FORMERR))).toMatchObject({ rcode: "FORMERR", questions: [] });
});

test("an answer belongs to the query with its id and question", () => {
  const query = question("web");
  const answer = (name: string, id: number): Buffer =>
    encode({ type: "response", id, questions: [{ type: "A", name }], answers: [] });
  expect(answers(answer("WEB", 7), query)).toBe(true);
  expect(answers(answer("web", 8), query)).toBe(false);
  expect(answers(answer("evil", 7), query)).toBe(false);
  expect(answers(answer("webs", 7), query)).toBe(false);
  expect(answers(answer("web", 7), question("web", "AAAA"))).toBe(false);
  expect(answers(query, query)).toBe(false);
  expect(answers(Buffer.alloc(3), query)).toBe(false);
});

function withEdns(udpPayloadSize: number): Buffer {
  const { questions } = decode(question("Web"));
  const additionals = [{ type: "OPT" as const, name: ".", udpPayloadSize, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }]; // prettier-ignore
  return encode({ type: "query", id: 7, flags: 0x100, questions, additionals });
}
