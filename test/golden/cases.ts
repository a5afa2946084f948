// The conformance cases as the golden suites use them, with one injector for all cases of one configuration. Looks at
// nothing that is expected.
import { type Injector, loadRelease, type Release } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { type CaseSet, istioSets, vendoredSets } from "../../tools/conformance/case-sets.ts";
import { treeOfCase } from "../../tools/conformance/conformance-case.ts";
import { type CaseInput, layersOfCase } from "../../tools/conformance/entry-points.ts";
import { compileUntried } from "../support/shipped-tree.ts";

export interface Cases {
  readonly sets: readonly CaseSet[];
  /** One line that says what is not among the sets. */
  readonly notice?: string;
  /** Returns the injector of a case's configuration over the shipped tree. It is made when it is first asked for. */
  injectorOf(input: CaseInput): Injector;
}

export async function findCases(): Promise<Cases> {
  const shipped = await readSourceTree("templates");
  const injectors = new Map<string, Injector>();
  const { sets, ...rest } = istioSets();
  return {
    ...rest,
    sets: [...sets, ...vendoredSets()],
    injectorOf(input) {
      const configuration = JSON.stringify(treeOfCase(input));
      const injector = injectors.get(configuration) ?? loadRelease(quickly(layersOfCase(shipped, input)));
      injectors.set(configuration, injector);
      return injector;
    },
  };
}

/** As it is stored. In full, `npm run conformance` compiles each of these trees. */
function quickly(layers: ReturnType<typeof layersOfCase>): Release {
  return JSON.parse(JSON.stringify(compileUntried(layers))) as Release;
}
