// A cluster of 800 workloads in 12 namespaces, and a template that treats them differently.
import type { ClusterWorkload } from "@outrigger/studio";

/** The container of every pod, as it is saved. */
export const AGENT = `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if (lookup metadata.annotations "agent.example.com/port")}}
    tty: true
    {{/if}}
    {{#if metadata.labels.gpu}}
    stdin: true
    {{/if}}
`;

/** The same, with a port that has to be a number. */
export const AGENT_WITH_PORT = AGENT.replace(
  "    tty: true\n",
  '    ports:\n    - containerPort: {{int (annotation metadata "agent.example.com/port" "9200")}}\n',
);

/** Every 50th workload gives a port, and the first of these gives one that is no port. Every 10th opts out, and every 100th has no pod. */
export const LARGE_CLUSTER: readonly ClusterWorkload[] = Array.from({ length: 800 }, (_, at) => {
  const [name, namespace] = [`app-${at}`, `team-${at % 12}`];
  const kind = at % 9 === 0 ? "StatefulSet" : "Deployment";
  const port = at % 50 === 1 ? { "agent.example.com/port": at === 1 ? "70000" : "9200" } : {};
  return {
    name: `${kind} ${name}`,
    namespace,
    pods: at % 100 === 99 ? 0 : 1 + (at % 5),
    isSent: at % 10 !== 5,
    pod: {
      metadata: { labels: { app: name }, annotations: port },
      spec: { containers: [{ name: "app", image: `registry.example/${name}:1` }] },
    },
    owner: { name, namespace, kind, apiVersion: "apps/v1" },
    parameters: {},
  };
});

/** As much of it as edits are measured on, pod by pod: each kind of workload and each answer is among them, five times. */
export const MEASURED = LARGE_CLUSTER.slice(0, 240);

/** Those of the measured workloads whose pods run and are sent to the webhook. */
export const RUNNING = MEASURED.filter(({ isSent, pods }) => isSent && pods > 0);
