import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { defaultedPod } from "./pod-defaults.ts";

const specOf = (spec: object) => defaultedPod({ spec }).spec as Record<string, readonly JsonObject[]>;

describe("defaultedPod()", () => {
  it("fills in what is left out or null, and nothing that is given", () => {
    expect(specOf({ restartPolicy: "Never", dnsPolicy: null })).toEqual({
      restartPolicy: "Never",
      dnsPolicy: "ClusterFirst",
      schedulerName: "default-scheduler",
      terminationGracePeriodSeconds: 30,
      enableServiceLinks: true,
      securityContext: {},
      serviceAccountName: "default",
      serviceAccount: "default",
    });
  });

  it.each([
    ["app", "Always"],
    ["registry.example:5000/app", "Always"],
    ["app:latest", "Always"],
    ["app:1", "IfNotPresent"],
    ["app@sha256:00", "IfNotPresent"],
  ])("pulls %s %s", (image, imagePullPolicy) => {
    for (const list of ["containers", "initContainers"])
      expect(specOf({ [list]: [{ image }] })[list]).toEqual([
        {
          image,
          imagePullPolicy,
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ]);
  });

  it("fills in probes, ports, and requests from limits", () => {
    const given = {
      image: "app:1",
      readinessProbe: { periodSeconds: 2 },
      ports: [{ containerPort: 1 }, { containerPort: 2, protocol: "UDP" }],
      resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } },
    };
    expect(specOf({ containers: [given] })["containers"]?.[0]).toMatchObject({
      readinessProbe: { timeoutSeconds: 1, periodSeconds: 2, successThreshold: 1, failureThreshold: 3 },
      ports: [
        { containerPort: 1, protocol: "TCP" },
        { containerPort: 2, protocol: "UDP" },
      ],
      resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
    });
  });

  it("makes an empty directory of a volume that says nothing else", () => {
    const volumes = [{ name: "a" }, { name: "b", configMap: { name: "c" } }];
    expect(specOf({ volumes })["volumes"]).toEqual([{ name: "a", emptyDir: {} }, volumes[1]]);
  });
});
