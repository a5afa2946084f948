// The face of @outrigger/yaml: what other packages and other people may use. Everything else is internal.
export { alignLists } from "./edit/align-lists.ts";
export { editDocument } from "./edit/edit-document.ts";
export { rebase } from "./edit/rebase.ts";
export { formatYaml, formatYamlAs } from "./format-yaml.ts";
export { unclosedQuote } from "./unclosed-quote.ts";
export { parseYaml, parseYamlDocuments, type YamlDocument } from "./yaml.ts";
export type { YamlMapping, YamlNode, YamlSequence } from "./yaml-nodes.ts";
export { parseYamlNodes } from "./yaml-parse.ts";
export { YamlSyntaxError } from "./yaml-syntax-error.ts";
export { fieldOffset, type LocatedNode, locateYaml, readYamlTree } from "./yaml-tree.ts";
export { entryName, type ValueOptions, yamlValue } from "./yaml-values.ts";
