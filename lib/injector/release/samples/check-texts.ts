// The texts of an injected pod that an API server takes as they are, and kubelet, istio-init, the CNI plugin or the proxy then cannot
// read: images, annotations, arguments. Each is checked by the rule of its meaning.

import { annotationRules, entryOf, jsonEqual, objectOf } from "@outrigger/base";
import { ruleProblem, type ValueRule, valueRules } from "@outrigger/mesh";
import { type Container, isImageReference, type Pod, type PodViolation } from "@outrigger/pod";
import { annotationProblem } from "../../decide/validate-annotations.ts";

/** A text that no API server rejects. */
export type TextViolation = PodViolation & { readonly isUnread: true };

/** The wrong texts that the injection wrote. Those of the sample are its own. */
export function textViolations(pod: Pod, sample: Pod): readonly TextViolation[] {
  return [...imageViolations(pod, sample), ...annotationViolations(pod, sample), ...argumentViolations(pod, sample)];
}

const LISTS = ["initContainers", "containers"] as const;

function imageViolations(pod: Pod, sample: Pod): readonly TextViolation[] {
  return LISTS.flatMap((list) => {
    const own = new Set(sample.spec?.[list]?.map(({ image }) => image));
    return (pod.spec?.[list] ?? []).flatMap(({ image }, at): readonly TextViolation[] => {
      // A missing image, and one with blanks around it, is a violation already.
      const isJudged = typeof image === "string" && image !== "" && image.trim() === image && !own.has(image);
      if (!isJudged || isImageReference(image)) return [];
      const message = `must be the name of an image, like registry.example/agent:1.2: ${JSON.stringify(image)} cannot be pulled`;
      return [violation(["spec", list, at, "image"], message)];
    });
  });
}

function annotationViolations({ metadata }: Pod, sample: Pod): readonly TextViolation[] {
  const own = objectOf(sample.metadata?.annotations);
  return Object.entries(metadata?.annotations ?? {}).flatMap(([key, value]) => {
    const isJudged = annotationRules.has(key) && own[key] !== value && typeof value === "string";
    const problem = isJudged ? annotationProblem(key, value) : undefined;
    return problem === undefined ? [] : [violation(["metadata", "annotations", key], problem)];
  });
}

/** Options of pilot-agent, in any of its commands. Source: Istio's pilot/cmd/pilot-agent. */
const AGENT_OPTIONS: Readonly<Record<string, ValueRule>> = {
  proxyLogLevel: "level",
  proxyComponentLogLevel: "componentLevels",
  log_output_level: "agentLevels",
  stsPort: "portOrNone",
};

/** Options of istio-iptables, by both names. Source: Istio's tools/istio-iptables. */
const REDIRECT_OPTIONS: Readonly<Record<string, ValueRule>> = {
  ...both("p", "envoy-port", "port"),
  ...both("z", "inbound-capture-port", "port"),
  ...both("e", "inbound-tunnel-port", "port"),
  ...both("u", "proxy-uid", "owners"),
  ...both("g", "proxy-gid", "owners"),
  ...both("m", "istio-inbound-interception-mode", "interceptionMode"),
  ...both("i", "istio-service-cidr", "allOrRanges"),
  ...both("x", "istio-service-exclude-cidr", "ranges"),
  ...both("b", "istio-inbound-ports", "allOrPorts"),
  ...both("d", "istio-local-exclude-ports", "ports"),
  ...both("q", "istio-outbound-ports", "ports"),
  ...both("o", "istio-local-outbound-ports-exclude", "ports"),
  ...both("k", "kube-virt-interfaces", "interfaces"),
  ...both("c", "istio-exclude-interfaces", "interfaces"),
};

function both(short: string, long: string, rule: ValueRule): Readonly<Record<string, ValueRule>> {
  return { [short]: rule, [long]: rule };
}

function argumentViolations(pod: Pod, sample: Pod): readonly TextViolation[] {
  return LISTS.flatMap((list) =>
    (pod.spec?.[list] ?? []).flatMap((container, at) => {
      const own = sample.spec?.[list]?.find(({ name }) => name === container.name);
      return (["command", "args"] as const)
        .filter((field) => !jsonEqual(container[field] ?? null, own?.[field] ?? null))
        .flatMap((field) =>
          wrongArguments(container, field).map(([index, problem]) =>
            violation(["spec", list, at, field, index], problem),
          ),
        );
    }),
  );
}

/** The indexes of wrong values, each with what is wrong. A value stands behind its option or in it: `-i 10.0.0.0/8`, `-i10.0.0.0/8`. */
function wrongArguments(container: Container, field: "command" | "args"): readonly (readonly [number, string])[] {
  const isRedirect = [container.command, container.args].some((texts) => texts?.includes("istio-iptables"));
  const texts = container[field] ?? [];
  return texts.flatMap((text, at): readonly (readonly [number, string])[] => {
    const [, long = "", longValue, short = "", shortValue] = OPTION.exec(String(text)) ?? [];
    const name = long || short;
    const rule = entryOf(AGENT_OPTIONS, name) ?? (isRedirect ? entryOf(REDIRECT_OPTIONS, name) : undefined);
    const value = longValue ?? (shortValue || undefined);
    const index = value === undefined ? at + 1 : at;
    if (rule === undefined || index >= texts.length) return [];
    const problem = ruleProblem(valueRules[rule], value ?? String(texts[index]));
    return problem === undefined ? [] : [[index, `(${long === "" ? "-" : "--"}${name}) ${problem}`]];
  });
}

/** `--istio-service-cidr=…`, `--istio-service-cidr`, `-i`, `-i…`, `-i=…` */
const OPTION = /^(?:--([\w-]+)(?:=(.*))?|-(\w)=?(.*))$/s;

function violation(steps: TextViolation["steps"], message: string): TextViolation {
  return { path: steps.join("."), steps, code: "invalid", message, isUnread: true };
}
