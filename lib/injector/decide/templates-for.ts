// Which templates a pod gets, without rendering them: by the decision, and by its annotation or the defaults.

import type { Injector, InjectRequest } from "../injection.ts";
import { namespaceOf } from "../render/template-data.ts";
import { decide } from "./decide.ts";
import { selectTemplates } from "./select-templates.ts";

/**
 * Returns the names of the templates that injectPod() renders for a pod, in the order in which they are merged; none for a pod that is
 * not injected.
 *
 * @throws OutriggerError `template-unknown` if the pod names a template that does not exist, `config-invalid` if the configuration does
 */
export function templatesFor({ config, templates }: Injector, request: InjectRequest): readonly string[] {
  const namespace = namespaceOf(request);
  if (!decide(config, request.pod, namespace).inject) return [];
  return selectTemplates(config, request.pod, namespace, templates.names);
}
