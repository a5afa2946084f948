// The deployment without reserved concurrency, for an account that has none to reserve. Pure.
import { type Resource, resourceOf, type Template } from "./template.ts";

/** The template without any reservation when the inject function's is 0: Lambda takes 0 for "never run". */
export function leaveUnreserved(template: Template): Template {
  const inject = resourceOf(template.Resources, "InjectLambdaFunction");
  if (inject.Properties?.["ReservedConcurrentExecutions"] !== 0) return template;
  const resources = Object.entries(template.Resources).map(([id, resource]) => [id, withoutReservation(resource)]);
  return { ...template, Resources: Object.fromEntries(resources) };
}

function withoutReservation(resource: Resource): Resource {
  if (resource.Type !== "AWS::Lambda::Function") return resource;
  const { ReservedConcurrentExecutions: _none, ...Properties } = resource.Properties ?? {};
  return { ...resource, Properties };
}
