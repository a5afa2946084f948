// Owns the deployment that reserves no concurrency, for an account that has none to give. Pure.

/** The template without any reservation where the inject function's is 0, which Lambda would take for "never run". */
export function leaveUnreserved(template) {
  const { InjectLambdaFunction } = template.Resources;
  if (InjectLambdaFunction.Properties.ReservedConcurrentExecutions !== 0) return template;
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    if (resource.Type !== "AWS::Lambda::Function") return [id, resource];
    const { ReservedConcurrentExecutions: _none, ...Properties } = resource.Properties;
    return [id, { ...resource, Properties }];
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}
