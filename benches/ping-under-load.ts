// How long does a ping take while containers start and end? Time that the client itself waits for a processor is left
// out.
import { probePings } from "../tests/support/measured/ping-probe.js";
import type { RunningEngine } from "../tests/support/engines.js";
import { runOnce } from "./containers.js";
import { byHands } from "./hands.js";
import { atMost, Rounds, under, type Answer, type Sizes } from "./question.js";
import { requestBytes } from "./wire.js";

const CLIENTS = 16;
const CREATE = requestBytes("POST", "/containers/create", { Image: "busybox", Cmd: ["true"] });

export async function pingUnderLoad(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const [median, nineInTen, late, worst] = [new Rounds(), new Rounds(), new Rounds(), new Rounds()];
  for (let i = 0; i < sizes.longRounds; i += 1) {
    for (const engine of engines) {
      const probe = probePings(engine.daemon);
      await byHands(engine, sizes.comings, (wire) => runOnce(wire, CREATE), CLIENTS);
      const pings = await probe.end();
      median.add(engine.kind, pings.median);
      nineInTen.add(engine.kind, pings.nineInTen);
      late.add(engine.kind, (100 * pings.late) / pings.count);
      worst.add(engine.kind, pings.worst);
    }
  }
  const load = `while ${sizes.comings} containers come and go by ${CLIENTS} clients`;
  return [
    { question: `ping ${load}: median`, unit: "ms", figures: median.medians() },
    { question: `ping ${load}: nine in ten`, unit: "ms", figures: nineInTen.medians(), goal: atMost(1) },
    { question: `ping ${load}: took 50 ms or more`, unit: "in a hundred", figures: late.medians() },
    { question: `ping ${load}: slowest`, unit: "ms", figures: worst.medians(), goal: under(50, "ms") },
  ];
}
