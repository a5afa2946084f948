// Commands on a real API server that are killed at each write: after the first, after the second, and so on, of what they write to the API
// server and through the publish function. A process that is killed undoes nothing and frees nothing. Pods are made all the while: none is
// rejected, none is without a sidecar that had one coming, and the next such command ends right.
import { setTimeout as pause } from "node:timers/promises";
import { decorate } from "@outrigger/base";
import { type ConnectAws, main } from "@outrigger/cli";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { inTurn } from "../support/in-turn.ts";
import { type Life, startFaultyProxy } from "./support/faulty-proxy.ts";
import { commandsTurn } from "./support/killed-turn.ts";
import { openRealLab, type RealLab, waitsForApiServer } from "./support/real-lab.ts";
import {
  prepareRegistration,
  reachAt,
  registrationSteps,
  type Step,
  watchPods,
  whyWrong,
  wrongPods,
} from "./support/registration-steps.ts";

const { deny, noNet, off, remove, unregister } = registrationSteps;
const rotate: Step = { argv: ["token", "rotate", "--cluster", "shop", "--wait", "0"], leaves: "serving" };
const again: Step = { argv: ["register", "--cluster", "shop"], leaves: "serving" };

const rotateNow: Step = { argv: ["token", "rotate", "--cluster", "shop", "--now"], leaves: "serving" };

/** A command, and those that make the cluster what it is before. */
const KILLED: readonly (readonly [what: string, before: readonly Step[], command: Step])[] = [
  ["register", [unregister], deny],
  ["register, again", [deny], again],
  ["off", [deny], off],
  ["register with a net, where there is none", [noNet], deny],
  ["register, on again after off", [deny, off], again],
  ["token rotate", [deny, rotateNow], rotate],
  ["off --remove", [deny], remove],
  ["register, after off --remove", [deny, remove], again],
  ["unregister", [deny], unregister],
];
/** A lease that nobody frees ends after five minutes. */
const LEASE = 301_000;
const MOST_WRITES = 40;

describe("a command that is killed at each write, on a real API server", () => {
  let lab: RealLab;
  const clock = { ahead: 0 };
  beforeAll(async () => {
    lab = await openRealLab();
    lab.sleep = waitsForApiServer;
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now() + clock.ahead);
    await prepareRegistration(lab);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await lab?.close();
  });

  /** Runs a command until its process is killed after so many writes; true where it ended before. */
  const endsWithin = async (argv: readonly string[], writes: number): Promise<boolean> => {
    let kill: () => void;
    const killed = new Promise<"killed">((resolve) => {
      kill = () => resolve("killed");
    });
    let made = 0;
    const life: Life = {
      isOver: () => made >= writes,
      wrote: () => {
        made++;
        if (made >= writes) kill();
      },
    };
    const proxy = await startFaultyProxy(lab.api, life);
    reachAt(lab, proxy.url);
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const underWay = new Set<Promise<unknown>>();
    const command = main([...argv], { ...io, connect: mortal(io.connect, life, underWay), sleep: lab.sleep });
    const ended = await Promise.race([command, killed]);
    reachAt(lab, lab.api.url);
    // What was asked for is done, by an API server and by a function.
    await Promise.all([proxy.settled(), ...underWay]);
    if (ended === "killed") return false;
    await proxy.close();
    expect([argv.join(" "), ended, io.err()]).toEqual([argv.join(" "), 0, io.err()]);
    return true;
  };

  const itInTurn = inTurn(it, commandsTurn);
  const STORIES = KILLED.flatMap((killed) => [1, 2].map((first) => [...killed, first] as const));

  for (const [what, before, command, first] of STORIES)
    itInTurn(`${what}: after ${first} writes and each two more`, async () => {
      const isKept = [...before, command].every(({ leaves }) => leaves === "serving");
      const faults: string[] = [];
      for (let writes = first; ; writes += 2) {
        for (const step of before) {
          const why = await whyWrong(lab, step);
          if (why !== undefined) faults.push(`before ${writes}: ${why}`);
        }
        const podsSeen = watchPods(lab);
        const isEnded = await endsWithin(command.argv, writes);
        // Pods that only the net would get come while the API server reads policies anew.
        await pause(200);
        const wrong = wrongPods(await podsSeen(), isKept);
        if (wrong !== undefined) faults.push(`killed at ${writes}: ${wrong}`);
        clock.ahead += LEASE;
        const why = await whyWrong(lab, command);
        if (why !== undefined) faults.push(`killed at ${writes}, and the next: ${why}`);
        if (isEnded || writes >= MOST_WRITES) {
          console.log(
            `${command.argv.join(" ")}: killed after ${first}, ${first + 2} and so on to ${writes - 2} writes`,
          );
          expect([writes > first, writes < MOST_WRITES]).toEqual([true, true]);
          break;
        }
      }
      expect(faults).toEqual([]);
    });
});

/** A connection whose calls are never answered any more once the process is killed. */
function mortal(connect: ConnectAws, life: Life, underWay: Set<Promise<unknown>>): ConnectAws {
  const never = new Promise<never>(() => {});
  return async (target) => {
    const connection = await connect(target);
    const { getParameters, getParametersByPath, putParameter, deleteParameters } = connection.store;
    const parameters = { getParameters, getParametersByPath, putParameter, deleteParameters };
    const store = decorate(parameters, (_method, args, call) => (life.isOver() ? never : call(...args)));
    const askPublisher: typeof connection.askPublisher = async (request) => {
      if (life.isOver()) return never;
      const answering = connection.askPublisher(request);
      underWay.add(answering.catch(() => {}));
      const answer = await answering;
      life.wrote();
      return life.isOver() ? never : answer;
    };
    return { ...connection, store: { ...connection.store, ...store }, askPublisher };
  };
}
