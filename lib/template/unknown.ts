// What stands for a value that depends on data: apart, because those who inject know it too, and read no branches.

/** The text in place of a value, or of a part of a text, that depends on data. No YAML contains it. */
export const UNKNOWN = "\0";
