// What templates are rendered with.

/** The roots of the template data, by name. */
export type TemplateData = Readonly<Record<string, unknown>>;
