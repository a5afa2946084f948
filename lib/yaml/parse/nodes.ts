// The nodes of a YAML document with their source ranges: what the parser makes, and what values and edits are made from.

interface NodeBase {
  /** Offset of the node's own text, after its anchor and tag. */
  readonly start: number;
  /** Offset after the node's last character. After a block scalar, that is the start of the next line. */
  readonly end: number;
  /** Offset of the anchor or tag before the node, or `start`. */
  readonly outerStart: number;
  readonly anchor: string | undefined;
  /** The tag in full: `tag:yaml.org,2002:str`, `!custom`; `!` for the tag of that text. */
  readonly tag: string | undefined;
}

export type ScalarStyle = "plain" | "single" | "double" | "literal" | "folded";

/** A scalar that is not written has an empty range, after the indicator that it follows. */
export interface YamlScalar extends NodeBase {
  readonly kind: "scalar";
  readonly value: string;
  readonly style: ScalarStyle;
}

export interface YamlAlias extends NodeBase {
  readonly kind: "alias";
  readonly name: string;
}

export interface YamlEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

export interface YamlMapping extends NodeBase {
  readonly kind: "mapping";
  readonly flow: boolean;
  readonly entries: readonly YamlEntry[];
}

export interface YamlSequence extends NodeBase {
  readonly kind: "sequence";
  readonly flow: boolean;
  readonly items: readonly YamlItem[];
}

export interface YamlItem {
  /** Offset of the dash before an item in block style, or of the item. */
  readonly dash: number;
  readonly node: YamlNode;
}

/**
 * A node of a document with its range in the text: what `parseYamlNodes` returns, before tags and aliases mean anything.
 */
export type YamlNode = YamlScalar | YamlAlias | YamlMapping | YamlSequence;
