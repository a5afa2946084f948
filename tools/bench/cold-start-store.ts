// The stores that a cold start is measured with: the fakes over HTTP and TLS on loopback, with what is published in them, and
// the environment that leads a function there.

import { setTimeout as pause } from "node:timers/promises";
import type { ObjectStore } from "@outrigger/aws";
import { createFakeService, fakeObjectStore, fakeParameterStore, inBucket, startFakeServer } from "@outrigger/fake-aws";
import type { Release } from "@outrigger/injector";
import { parseYaml } from "@outrigger/yaml";
import { eventOf } from "../../test/support/gateway-event.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";
import { startSecureFront } from "./secure-front.ts";

const BUCKET = "releases";

/** A pod of a shape that no sample has, whose YAML is parsed when the pod comes. */
const UNUSUAL = {
  metadata: { generateName: "web-6d4cf56db6-", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "registry.example/web:1", ports: [{ containerPort: 8080 }] }] },
};

/**
 * Starts them; every call takes so many milliseconds.
 *
 * @param clusterCount how many clusters are registered
 * @param pod of a shape that the samples have, as YAML
 * @param bundled the release that the artifact carries
 */
export async function startStore(latency: number, clusterCount: number, pod: string, bundled: Release) {
  const release = { ...bundled, config: { ...bundled.config, injectedAnnotations: { from: "store" } } };
  const objects = fakeObjectStore();
  const published = { ...fakeParameterStore(), objects: inBucket(BUCKET, objects) };
  const clusters = Object.fromEntries(
    Array.from({ length: clusterCount }, (_, index) => [`c${index}`, clusterOf([tokenOf(`c${index}-`)])]),
  );
  const channels = { stable: "s1", canary: "k1" };
  const releases = { s1: release, k1: bundled };
  await writeSnapshot(published, snapshotOf({ clusters, channels, releases }), { tier: "Advanced" });
  const fake = createFakeService({ table: published.table(), latency: () => latency });
  const traffic = { parameterCalls: 0, objectCalls: 0, characters: 0 };
  const service: typeof fake = {
    ...fake,
    call: async (...call) => {
      const reply = await fake.call(...call);
      traffic.parameterCalls += 1;
      traffic.characters += JSON.stringify("output" in reply ? reply.output : "").length;
      return reply;
    },
  };
  const reads: ObjectStore = {
    ...objects,
    getObject: async (...call) => {
      await pause(latency);
      const found = await objects.getObject(...call);
      traffic.objectCalls += 1;
      traffic.characters += found?.text.length ?? 0;
      return found;
    },
  };
  const server = await startFakeServer({ service, objects: reads });
  const front = await startSecureFront(server.port);
  const object = parseYaml(pod, "the sample pod");
  const path = `/t/${tokenOf("c0-")}/inject`;
  return {
    event: eventOf({ object, namespace: "shop", path }),
    unusualEvent: eventOf({ object: UNUSUAL, namespace: "shop", path }),
    openEvent: eventOf({ object, namespace: "shop" }),
    /** The variables for TLS, in addition to `env`. */
    secureEnv: {
      AWS_ENDPOINT_URL_SSM: front.url,
      AWS_ENDPOINT_URL_S3: front.url,
      NODE_EXTRA_CA_CERTS: front.authorityFile,
    },
    env: {
      AWS_ENDPOINT_URL_SSM: server.url,
      AWS_ENDPOINT_URL_S3: server.url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_SESSION_TOKEN: "session",
      OUTRIGGER_PREFIX: PREFIX,
      OUTRIGGER_RELEASE_BUCKET: BUCKET,
      OUTRIGGER_STAGE: "test",
      OUTRIGGER_STACK: "arn:aws:cloudformation:eu-central-1:1:stack/outrigger-test/1",
      OUTRIGGER_URL: server.url,
      OUTRIGGER_PUBLISHER: "outrigger-test-publish",
      OUTRIGGER_BUNDLED_FALLBACK: "off",
    },
    /** What all starts together have asked for, and the characters of the answers. */
    traffic: (): Readonly<typeof traffic> => traffic,
    close: () => {
      front.close();
      return server.close();
    },
  };
}
