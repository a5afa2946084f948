// Which branches of a release's templates the injection of one pod takes: what samples are chosen and judged by.
import { type OutriggerError, ownError } from "@outrigger/base";
import { type TemplatePosition, takenBranches } from "@outrigger/template";
import { injectPod } from "../../inject-pod.ts";
import type { Injector, InjectRequest } from "../../injection.ts";
import { injectionHelpers } from "../../render/injection-helpers.ts";
import type { Release } from "../load-release.ts";
import { treePath } from "../source-tree.ts";

/** The branches of one injection. */
export interface BranchesTaken {
  /** Each as `templates/sidecar:12:3 true`; a template that is rendered is one too: `templates/sidecar`. */
  readonly branches: ReadonlySet<string>;
  /** The reason why the pod would not be made. What was rendered before counts all the same. */
  readonly error?: OutriggerError;
}

/**
 * Returns the function that injects a pod and says which branches of templates that takes. A pod that is not injected takes none.
 *
 * @param injector the release, loaded
 */
export function branchReader(release: Templates, injector: Injector): (request: InjectRequest) => BranchesTaken {
  return (request) => {
    const branches = new Set<string>();
    const listening = notingBranches(release, injector, (name, taken) => {
      // A pod that fails is rendered again without parts of it, to find whose fault that is: this says nothing about the pod.
      if (branches.has(treePath(name))) return;
      branches.add(treePath(name));
      for (const each of taken) branches.add(branchKey(each.position, each.taken));
    });
    try {
      injectPod(listening, request);
      return { branches };
    } catch (error) {
      return { branches, error: ownError(error) };
    }
  };
}

type Taken = ReturnType<typeof takenBranches>;
type Templates = Pick<Release, "templates">;

/** The injector, which tells of each template that it renders which branches that takes. */
export function notingBranches(
  { templates: compiled }: Templates,
  injector: Injector,
  note: (name: string, taken: Taken) => void,
): Injector {
  const { templates } = injector;
  const render: typeof templates.render = (name, data) => {
    const overlay = templates.render(name, data);
    note(name, takenBranches({ compiled, helpers: injectionHelpers, name, data }));
    return overlay;
  };
  return { ...injector, templates: { ...templates, render } };
}

/** A branch of a template or partial as text: its place, and whether its condition was true. */
export function branchKey({ source, line, column }: TemplatePosition, taken: boolean): string {
  return `${treePath(source)}:${line}:${column} ${taken}`;
}
