// Functions that reserve no concurrency. Pure.

import { resourceOf, type Template, withEach } from "./template.ts";

/** The template without any reservation when the inject function's is 0: Lambda takes 0 for "never run". */
export function leaveUnreserved(template: Template): Template {
  const inject = resourceOf(template.Resources, "InjectLambdaFunction");
  if (inject.Properties?.["ReservedConcurrentExecutions"] !== 0) return template;
  return withEach(template, (resource) => {
    if (resource.Type !== "AWS::Lambda::Function") return resource;
    const { ReservedConcurrentExecutions: _none, ...Properties } = resource.Properties ?? {};
    return { ...resource, Properties };
  });
}
