// What an API server takes of a sidecar, and what does not work all the same: ports that two containers open, a probe of a port that
// nobody opens, an image that is another one tomorrow. Only what the tree's own templates wrote is said: the author's is the author's.
import type { FieldPath } from "@outrigger/base";
import { type Container, isImageReference, isPinned, type Pod } from "@outrigger/pod";
import { containerNames } from "../../data-plane.ts";

export interface SidecarFault {
  /** Keys and indexes in the pod. */
  readonly steps: FieldPath;
  readonly message: string;
}

interface Placed {
  readonly container: Container;
  readonly steps: FieldPath;
}

/** Finds what does not work in an injected pod, of the author or of a template. */
export function sidecarFaults(pod: Pod): readonly SidecarFault[] {
  const containers = placed(pod, "containers");
  const sidecars = placed(pod, "initContainers").filter(({ container }) => container.restartPolicy === "Always");
  return [
    ...[...placed(pod, "initContainers"), ...containers].flatMap(imageFaults),
    ...containers.flatMap(restartFaults),
    ...portFaults([...containers, ...sidecars]),
    ...[...containers, ...sidecars].flatMap(probeFaults),
    ...windowsFaults(pod),
  ];
}

function placed({ spec }: Pod, list: "containers" | "initContainers"): readonly Placed[] {
  return (spec?.[list] ?? []).map((container, index) => ({ container, steps: ["spec", list, index] }));
}

function imageFaults({ container: { name, image = "" }, steps }: Placed): readonly SidecarFault[] {
  // What is no image's name at all is an error elsewhere. Istio's word for an image that a template fills in is none.
  if (image === AUTO || !isImageReference(image) || isPinned(image)) return [];
  const message = `the image of container ${name} has no tag, so a node pulls what is latest then: write a tag or a digest`;
  return [{ steps: [...steps, "image"], message }];
}

const AUTO = "auto";

function restartFaults({ container, steps }: Placed): readonly SidecarFault[] {
  if (container.restartPolicy !== "Always") return [];
  const message = `restartPolicy: Always makes a native sidecar of an init container only: move ${container.name} to initContainers, or leave it out`;
  return [{ steps: [...steps, "restartPolicy"], message }];
}

function portFaults(containers: readonly Placed[]): readonly SidecarFault[] {
  const opened = containers.flatMap(({ container: { name, ports = [] }, steps }) =>
    ports.map(({ containerPort, protocol = "TCP" }, index) => {
      return { name, port: `${containerPort}/${protocol}`, number: containerPort, steps: [...steps, "ports", index] };
    }),
  );
  return opened.flatMap(({ name, port, number, steps }) => {
    const other = opened.find((one) => one.port === port && one.steps !== steps);
    if (other === undefined) return [];
    const whose = other.name === name ? "opened twice" : `container ${other.name}'s too`;
    const message = `port ${number} of container ${name} is ${whose}: the containers of a pod share their ports, so the second one cannot listen`;
    return [{ steps: [...steps, "containerPort"], message }];
  });
}

function probeFaults({ container, steps }: Placed): readonly SidecarFault[] {
  const { name, ports = [] } = container;
  // The proxy does not list the port of its own probes.
  if (ports.length === 0 || name === containerNames.proxy) return [];
  const told = JSON.stringify([container.command, container.args, container.env]);
  return (["readinessProbe", "livenessProbe", "startupProbe"] as const).flatMap((probe) =>
    (["httpGet", "tcpSocket", "grpc"] as const).flatMap((handler) => {
      const port = container[probe]?.[handler]?.port;
      if (port === undefined || ports.some((one) => one.containerPort === port || one.name === port)) return [];
      // A port that is not listed is open all the same where the program is told to open it.
      if (typeof port === "number" && told.includes(String(port))) return [];
      const listed = ports.map((one) => one.name ?? one.containerPort).join(", ");
      const message = `${probe} of container ${name} is on port ${JSON.stringify(port)}, which its ports do not have (${listed}): add it, or correct the probe`;
      return [{ steps: [...steps, probe, handler, "port"], message }];
    }),
  );
}

function windowsFaults({ spec }: Pod): readonly SidecarFault[] {
  const message = "no pod for Windows is injected, so this keeps the pods that are from every node: leave it out";
  return [
    ...(spec?.os?.name === "windows" ? [{ steps: ["spec", "os", "name"], message }] : []),
    ...(spec?.nodeSelector?.["kubernetes.io/os"] === "windows"
      ? [{ steps: ["spec", "nodeSelector", "kubernetes.io/os"], message }]
      : []),
  ];
}
