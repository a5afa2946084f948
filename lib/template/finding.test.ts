import { OutriggerError } from "@outrigger/base";
import { expect, it } from "vitest";
import { describeTemplate, fault, findingError, loadError, partialSource, renderError } from "./finding.ts";

it.each([
  ["sidecar", 'template "sidecar"', "templates/sidecar"],
  ["partials/resources", 'partial "resources"', "partials/resources"],
  ["a/partials/b", 'template "a/partials/b"', "templates/a/partials/b"],
])("findingError() says of %s what it is, and its file", (template, words, path) => {
  const error = findingError({
    code: "unknown-helper",
    severity: "error",
    template,
    line: 12,
    column: 5,
    message: 'helper "foo" is not known',
  });
  expect(error).toBeInstanceOf(OutriggerError);
  expect(error).toMatchObject({ code: "template-invalid", path, line: 12, column: 5 });
  expect(error.message).toBe(`Cannot compile ${words}: helper "foo" is not known (line 12, column 5)`);
  expect(describeTemplate(template)).toBe(words);
});

it("partialSource() is the name by which a partial is known apart from a template", () => {
  expect(partialSource("a")).toBe("partials/a");
  expect(describeTemplate(partialSource("a"))).toBe('partial "a"');
});

it("loadError() has a place where one is known", () => {
  expect(loadError("a", "it is large")).toMatchObject({
    code: "template-invalid",
    message: 'Cannot load template "a": it is large',
    line: undefined,
  });
  expect(loadError("partials/a", "x", { line: 2, column: 3 })).toMatchObject({
    message: 'Cannot load partial "a": x',
    line: 2,
    column: 3,
  });
});

it("renderError() has the place and the cause", () => {
  const cause = fault("the value is a function");
  expect(cause).toMatchObject({ code: "template-render", message: "the value is a function" });
  const error = renderError(cause.message, { source: "partials/a", line: 2, column: 3 }, cause);
  expect(error).toMatchObject({ code: "template-render", path: "partials/a", line: 2, column: 3, cause });
  expect(error.message).toBe('Cannot render partial "a": the value is a function (line 2, column 3)');
});
