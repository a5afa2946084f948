// The commands about a cluster, as the model of frozen commands runs them: each with what it says when it is done, and with what
// may rightly make that untrue afterwards.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { type ConnectAws, main } from "@outrigger/cli";
import {
  clusterStatus,
  digestOfToken,
  newToken,
  type RegistrationPorts,
  registerCluster,
  rotateToken,
  switchOff,
  unregisterCluster,
} from "@outrigger/cluster";
import { fakeIo } from "../cli/fake-io.ts";
import { CLUSTER, type ClusterLab } from "./cluster-lab.ts";
import { deadWebhooks, strictObjects, webhooksIn } from "./pod-admission.ts";

type Asked = NonNullable<Parameters<ClusterLab["request"]>[0]>;

/** The part of the world that a command looks at and changes. A command's end is its last look at what another one changes. */
export type Side = "cluster" | "record" | "both";

export interface FrozenCommand {
  readonly name: string;
  /** Throws where it fails: then it has said so, and says nothing else. */
  readonly run: (lab: ClusterLab, ports: RegistrationPorts) => Promise<unknown>;
  /** Whether its last line is true now. */
  readonly isTrue: (lab: ClusterLab) => boolean | Promise<boolean>;
  readonly side: Side;
  /** The commands that may make it untrue again, by the first words of their names. */
  readonly overruledBy: readonly string[];
}

const record = ({ publisher }: ClusterLab) => publisher.records.get(CLUSTER.name);
const ownObjects = ({ api }: ClusterLab) =>
  [...api.objects.values()].filter(
    ({ kind, metadata }) => kind !== "Namespace" && (metadata as JsonObject)["name"] !== "outrigger-off",
  );

function registering(name: string, asked: Asked): FrozenCommand {
  return {
    name,
    run: (lab, ports) => registerCluster(lab.request(asked), ports),
    async isTrue(lab) {
      const { drift, revisions } = await clusterStatus(lab.ports.kube, lab.question());
      const [first] = revisions;
      return drift.length === 0 && first?.phase === asked.phase && first?.off === undefined;
    },
    side: "both",
    overruledBy: ["register", "unregister", "off", "clusters remove"],
  };
}

function switchingOff(name: string, remove: boolean): FrozenCommand {
  return {
    name,
    async run({ ports: { now } }, { kube }) {
      const { left } = await switchOff(kube, { remove, at: new Date(now()).toISOString() });
      if (left.length > 0) throw new OutriggerError("findings", "Not everything is off");
    },
    isTrue: (lab) => (remove ? ownObjects(lab) : strictObjects(lab)).length === 0,
    side: "cluster",
    overruledBy: ["register"],
  };
}

function rotating(name: string, patience: number, liveTokens: readonly number[]): FrozenCommand {
  return {
    name,
    run: (lab, ports) =>
      rotateToken({ ...lab.request(), patience, countCalls: async (slot) => (slot === 2 ? 1 : 0) }, ports),
    isTrue: (lab) =>
      liveTokens.includes(record(lab)?.tokens.length ?? 0) &&
      webhooksIn(lab).length > 0 &&
      deadWebhooks(lab).length === 0,
    side: "both",
    overruledBy: ["unregister", "off --remove", "clusters remove", "token rotate"],
  };
}

/** Through the command line: what it reads and asks of the deployment is the record, by the ports. */
function typed(line: string, isTrue: FrozenCommand["isTrue"], overruledBy: readonly string[]): FrozenCommand {
  return {
    name: line,
    async run(_lab, ports) {
      const connect: ConnectAws = async ({ layout }) => ({
        ...({} as Awaited<ReturnType<ConnectAws>>),
        store: {
          ...({} as Awaited<ReturnType<ConnectAws>>["store"]),
          getParametersByPath: async () => {
            const value = await ports.readRecord(CLUSTER.name);
            const name = layout.cluster(CLUSTER.name);
            return {
              parameters:
                value === undefined ? [] : [{ name, value: JSON.stringify(value), type: "String", version: 1 }],
              next: undefined,
            };
          },
        },
        askPublisher: ports.ask,
        caller: async () => "ann",
        place: async () => "here",
      });
      const cwd = await mkdtemp(join(tmpdir(), "outrigger-frozen-"));
      try {
        await writeFile(join(cwd, "spare-token.txt"), spareToken);
        const io = fakeIo({ connect, cwd });
        const code = await main(line.split(" "), io);
        if (code !== 0) throw new OutriggerError("findings", io.err());
      } finally {
        await rm(cwd, { recursive: true });
      }
    },
    isTrue,
    side: "record",
    overruledBy,
  };
}

/** A second token that no webhook has, as `outrigger token add` registers it. */
export const spareToken = newToken((size) => new Uint8Array(size).fill(255));

const hasSpare = (lab: ClusterLab) =>
  record(lab)?.tokens.some(({ sha256 }) => sha256 === digestOfToken(spareToken)) === true;

export const frozenCommands: readonly FrozenCommand[] = [
  registering("register --phase audit", { phase: "audit", safetyNet: "off" }),
  registering("register --phase namespace", { phase: "namespace", namespaces: ["shop"] }),
  registering("register --phase cluster", { phase: "cluster", tags: ["prod"] }),
  registering("register --phase enforce", { phase: "enforce", safetyNet: "deny", tags: ["prod"] }),
  {
    name: "unregister",
    run: (lab, ports) => unregisterCluster(lab.request(), ports, ports.kube),
    isTrue: (lab) => record(lab) === undefined && ownObjects(lab).length === 0,
    side: "both",
    overruledBy: ["register"],
  },
  rotating("token rotate --wait 0", 0, [1, 2]),
  rotating("token rotate", 900_000, [1]),
  typed("token retire --cluster shop --token-file spare-token.txt", (lab) => !hasSpare(lab), []),
  typed("clusters remove shop", (lab) => record(lab) === undefined, ["register"]),
  typed("clusters set shop network=blue", (lab) => record(lab)?.network === "blue", ["unregister", "clusters remove"]),
  switchingOff("off", false),
  switchingOff("off --remove", true),
];

/** The states of a cluster before a command: the registration, and whether it has a token to spare. */
export const statesBefore: readonly (readonly [string, Asked | undefined, hasSpare: boolean])[] = [
  ["a cluster that is not registered", undefined, false],
  ["a cluster that injects", { phase: "cluster", tags: ["prod"] }, true],
  ["a cluster that enforces", { phase: "enforce", safetyNet: "deny", tags: ["prod"] }, false],
];
