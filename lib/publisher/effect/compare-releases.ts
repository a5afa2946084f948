// What is different between two releases: in pods, which both inject, and in the branches of their templates. Pure.
import { type JsonObject, jsonEqual, objectOf, textOf } from "@outrigger/base";
import { injectionPowers, isProxyVariable } from "@outrigger/guardrails";
import {
  type Injector,
  injectorOf,
  matchingPods,
  type Outcome,
  outcomeOf,
  type Release,
  type SourceTree,
  samplePods,
  type TreeFinding,
  writtenOverAuthor,
} from "@outrigger/injector";
import { compareBranches } from "./compare-branches.ts";
import { comparePods, powerEffects } from "./compare-pods.ts";
import { type Effect, firstOfEach, LONGEST_EXAMPLE } from "./effects.ts";

/**
 * Injects pods with both releases and compares them: the shipped samples, the tree's own, a plain pod that asks for each
 * template and alias by name, and where the default templates differ, pods that those with a match are for. A tree cannot replace the shipped samples here, so an edit does not choose what it is judged by.
 *
 * @param before what is served; it may be of an earlier version of Outrigger
 * @param layers the shipped tree, and the one over it
 * @returns one effect of each class, the gravest first; none where these pods come out the same
 * @throws OutriggerError `release-unsupported` where one of them cannot be loaded
 */
export function compareReleases(before: Release, after: Release, layers: readonly SourceTree[]): readonly Effect[] {
  const [was, is] = [injectorOf(before), injectorOf(after)];
  const asked = [...was.templates.names, ...Object.keys(was.config.aliases)];
  const matched = jsonEqual(was.config.defaultTemplates, is.config.defaultTemplates)
    ? []
    : [was, is].flatMap(({ config }) => matchingPods(config));
  // Where the label by which pods ask is another one, pods with either.
  const labels = new Set([was, is].map(({ config }) => config.injectionLabel));
  const asking = [...labels].flatMap((label) => samplePods([], asked, label));
  const pods = [...layers.flatMap((layer) => samplePods([layer])), ...asking, ...matched];
  const injected = pods.flatMap(({ name, request }) =>
    joined(compareResults(comeOut(outcomeOf(before, request)), comeOut(outcomeOf(after, request)))).map((effect) =>
      sampled(name, effect),
    ),
  );
  const tree = layers.at(-1) ?? {};
  return firstOfEach([
    ...injected,
    ...compareBranches(before, after, tree).map(({ place, effect }) => sampled(place, effect)),
    ...writtenOver([before, was], [after, is], tree),
    ...proxyVariables(before, after),
  ]);
}

/** A ProxyConfig is of pods that no sample need be: its variables are judged as they stand. */
function proxyVariables(before: Release, after: Release): readonly Effect[] {
  const known = before.proxyConfigs.map((resource) => JSON.stringify(resource));
  return after.proxyConfigs.flatMap((resource) => {
    if (known.includes(JSON.stringify(resource))) return [];
    const variables = Object.entries(objectOf(resource.settings["proxyMetadata"]));
    return variables.flatMap(([name, value]) =>
      isProxyVariable(name, textOf(value))
        ? []
        : [sampled("proxyconfigs", { name: "control-plane-address", example: `istio-proxy ${name}` })],
    );
  });
}

/** A line that writes over what authors may have written fails their pods, or changes them: no sample shows all that authors write. */
function writtenOver(before: Loaded, after: Loaded, tree: SourceTree): readonly Effect[] {
  const found = writtenOverAuthor(...after, tree);
  if (found.length === 0) return [];
  const known = new Set(writtenOverAuthor(...before, tree).map(sayWrittenOver));
  return found.flatMap((finding) => {
    const [said = ""] = finding.message.split(", and guardrails");
    const effect = { name: "author-changed", example: said } as const;
    return known.has(sayWrittenOver(finding)) ? [] : [sampled(`${finding.path}:${finding.line}`, effect)];
  });
}

type Loaded = readonly [release: Release, injector: Injector];

function sayWrittenOver({ path, message }: TreeFinding): string {
  return `${path} ${message}`;
}

/** One effect of each class, which names all that it is of: a change of two containers is not one of the first. */
function joined(effects: readonly Effect[]): readonly Effect[] {
  const examples = new Map<Effect["name"], ReadonlySet<string>>();
  for (const { name, example } of effects) examples.set(name, new Set([...(examples.get(name) ?? []), example]));
  return [...examples].map(([name, each]) => ({ name, example: [...each].join(", ") }));
}

function sampled(place: string, { name, example }: Effect): Effect {
  const text = `${place}: ${example}`;
  return { name, example: text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE - 1)}…` : text };
}

function compareResults(before: ComeOut, { author, pod, reason }: ComeOut): readonly Effect[] {
  if (pod === undefined) return before.pod === undefined ? [] : [{ name: "sidecar-gone", example: reason }];
  if (before.pod !== undefined) return comparePods(before.pod, pod, author);
  return [...powerEffects([], injectionPowers(author, pod)), { name: "added", example: "injected" }];
}

type ComeOut = ReturnType<typeof comeOut>;

/** The pod that comes out. There is none where it is not injected; where injection fails, the pod is denied or failurePolicy decides. */
function comeOut({ result, error }: Outcome) {
  if (result === undefined) return { reason: `fails (${error.code})` };
  if (!result.injected) return { reason: `not injected (${result.reason})` };
  const { author, pod, reason } = result;
  return { author: author as JsonObject, pod: pod as JsonObject, reason };
}
