import { expect, it } from "vitest";
import { admittedForm } from "./admitted-form.ts";
import { authoredForm } from "./authored-form.ts";

const authored = {
  metadata: { namespace: "shop", labels: { app: "web" } },
  spec: {
    serviceAccountName: "web",
    containers: [
      {
        name: "web",
        image: "web:1",
        ports: [{ containerPort: 80 }],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ],
    tolerations: [{ key: "spot", operator: "Exists" }],
    volumes: [{ name: "data", emptyDir: {} }],
  },
};

it("authoredForm() is what the author wrote, whatever name the token's volume was given", () => {
  const admitted = admittedForm(authored, { namespace: "shop" });
  expect(authoredForm(admitted)).toEqual(authored);
  expect(authoredForm(JSON.parse(JSON.stringify(admitted).replaceAll("00000", "x2b9z")))).toEqual(authored);
});

it("authoredForm() keeps what is not filled in again: a priority class's number, and a token of the author's own", () => {
  const spec = { ...authored.spec, priorityClassName: "high", priority: 1000 };
  expect(authoredForm({ ...authored, spec })).toEqual({ ...authored, spec });
  const mount = { name: "kube-api-access-own", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
  const [web] = authored.spec.containers;
  const own = { ...authored, spec: { ...authored.spec, containers: [{ ...web, name: "web", volumeMounts: [mount] }] } };
  expect(authoredForm(admittedForm(own, { namespace: "shop" }))).toEqual(own);
});
