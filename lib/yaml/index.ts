// The face of @outrigger/yaml: what other packages and other people may use. Everything else is internal.
export { editDocument, rebase } from "./edit/edit-document.ts";
export { formatYaml } from "./format-yaml.ts";
export { fieldOffset, type LocatedNode, locateYaml, readYamlTree } from "./locate-yaml.ts";
export type { YamlNode } from "./parse/nodes.ts";
export { parseYamlNodes } from "./parse/parse-nodes.ts";
export { YamlSyntaxError } from "./parse/token.ts";
export { unclosedQuote } from "./parse/unclosed-quote.ts";
export { parseYaml, parseYamlDocuments, type YamlDocument, type YamlWarning } from "./parse-yaml.ts";
export { type ValueOptions, yamlValue } from "./values/yaml-value.ts";
