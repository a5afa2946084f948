import { expect, it } from "vitest";
import { readProtobuf } from "./read-protobuf.ts";

/** The bodies that kubectl 1.32 sends for `create deployment web2 --image=web:1 --replicas=2` and the like. */
const SENT = {
  namespace:
    "6b3873000a0f0a02763112094e616d657370616365121b0a130a03666f6f12001a0022002a0032003800420012001a020a001a002200",
  deployment:
    "6b3873000a150a07617070732f7631120a4465706c6f796d656e7412b1010a250a047765623212001a0473686f7022002a003200380042005a0b0a03617070120477656232127a0802120d0a0b0a036170701204776562321a5f0a1d0a0012001a0022002a003200380042005a0b0a03617070120477656232123e12200a0377656212057765623a312a0042006a007200800100880100900100a201001a00320042004a0052005800600068008201008a01009a0100c2010022020a00280038001a0c0800100018002000280038001a002200",
  configMap:
    "6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a016112001a0022002a0032003800420012060a01611201621a002200",
  serviceAccount:
    "6b3873000a140a027631120e536572766963654163636f756e7412130a110a017812001a0022002a003200380042001a002200",
};
const read = (name: keyof typeof SENT) => readProtobuf(Buffer.from(SENT[name], "hex"));

it("readProtobuf() gives what kubectl filled in, and nothing for a kind that it does not know", () => {
  const labels = { app: "web2" };
  expect(read("deployment")).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web2", namespace: "shop", labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  expect(read("namespace")).toEqual({ apiVersion: "v1", kind: "Namespace", metadata: { name: "foo" } });
  expect(read("configMap")).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } });
  expect(read("serviceAccount")).toBeUndefined();
});
