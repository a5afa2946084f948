// Tokens → syntax tree, by the grammar of Go's text/template.

import type { Command, GoNode, GoTemplate, Operand, Pipeline, Position } from "./go-syntax.ts";
import { goFault, lexGoTemplate, type Token } from "./lex-go-template.ts";

/**
 * Parses a Go template.
 *
 * @throws OutriggerError `template-invalid`, with line and column
 *
 * @example
 * ```ts
 * parseGoTemplate("{{ if .A }}x{{ end }}").nodes.map(({ kind }) => kind) // => ["if"]
 * ```
 */
export function parseGoTemplate(source: string): GoTemplate {
  const tokens = lexGoTemplate(source);
  const definitions = new Map<string, readonly GoNode[]>();
  let index = 0;
  const { nodes, end } = parseNodes(0);
  if (end !== undefined) throw goFault(`{{ ${end.text} }} closes no block`, end);
  return { nodes, definitions };

  /** Reads nodes up to, and without, the action that ends or continues the block. */
  function parseNodes(depth: number): { readonly nodes: readonly GoNode[]; readonly end: Token | undefined } {
    if (depth > MAX_DEPTH) throw goFault("its blocks are nested too deeply", tokens[index] ?? { line: 1, column: 1 });
    const nodes: GoNode[] = [];
    while (index < tokens.length) {
      const token = tokens[index++] as Token;
      const { line, column } = token;
      if (token.kind === "text" || token.kind === "comment") {
        nodes.push({ kind: token.kind, text: token.text, line, column });
        continue;
      }
      const word = peek();
      if (word.kind === "word" && (word.text === "end" || word.text === "else")) {
        index += 1;
        return { nodes, end: word };
      }
      const node = parseAction(word, { line, column }, depth);
      if (node !== undefined) nodes.push(node);
    }
    return { nodes, end: undefined };
  }

  function parseAction(word: Token, place: Position, depth: number): GoNode | undefined {
    if (word.kind !== "word") return { kind: "action", pipeline: closedPipeline(), ...place };
    switch (word.text) {
      case "if":
      case "with":
      case "range":
        index += 1;
        return parseBlock(word.text, place, depth);
      case "define": {
        index += 1;
        const name = parseName();
        close();
        definitions.set(name, parseBody(place, depth));
        return undefined;
      }
      case "block": {
        index += 1;
        const name = parseName();
        const pipeline = closedPipeline();
        definitions.set(name, parseBody(place, depth));
        return { kind: "template", name, pipeline, ...place };
      }
      case "template": {
        index += 1;
        const name = parseName();
        const hasPipeline = peek().kind !== "close";
        const pipeline = hasPipeline ? closedPipeline() : void close();
        return { kind: "template", name, pipeline, ...place };
      }
      case "break":
      case "continue":
        index += 1;
        close();
        return { kind: word.text, ...place };
      default:
        return { kind: "action", pipeline: closedPipeline(), ...place };
    }
  }

  function parseBlock(kind: "if" | "with" | "range", place: Position, depth: number): GoNode {
    const pipeline = closedPipeline();
    const { nodes: body, end } = parseNodes(depth + 1);
    if (end === undefined) throw goFault(`{{ ${kind} }} is not closed`, place);
    return { kind, pipeline, body, otherwise: parseOtherwise(kind, end, place, depth), ...place };
  }

  function parseOtherwise(kind: string, end: Token, place: Position, depth: number): readonly GoNode[] {
    if (end.text === "end") {
      close();
      return [];
    }
    const next = peek();
    if (next.kind === "word" && (next.text === "if" || next.text === "with")) {
      index += 1;
      return [parseBlock(next.text, { line: end.line, column: end.column }, depth + 1)];
    }
    close();
    const { nodes, end: last } = parseNodes(depth + 1);
    if (last?.text !== "end") throw goFault(`{{ ${kind} }} is not closed`, place);
    close();
    return nodes;
  }

  function parseBody(place: Position, depth: number): readonly GoNode[] {
    const { nodes, end } = parseNodes(depth + 1);
    if (end?.text !== "end") throw goFault("the definition is not closed", place);
    close();
    return nodes;
  }

  function parseName(): string {
    const token = next();
    if (token.kind !== "string") throw goFault("a template's name in quotes is expected", token);
    return token.text;
  }

  function closedPipeline(): Pipeline {
    const pipeline = parsePipeline();
    close();
    return pipeline;
  }

  function parsePipeline(): Pipeline {
    const first = peek();
    const { variables, assigns } = parseVariables();
    const commands: Command[] = [];
    for (;;) {
      commands.push(parseCommand());
      if (!isMark("|")) break;
      index += 1;
    }
    const { line, column } = first;
    const text = source.slice(first.offset, peek().offset).trim();
    return { variables, assigns, commands, source: text, line, column };
  }

  function parseVariables(): Pick<Pipeline, "variables" | "assigns"> {
    const start = index;
    const variables: string[] = [];
    while (peek().kind === "variable") {
      variables.push(next().text);
      if (isMark(",")) {
        index += 1;
        continue;
      }
      if (isMark(":=") || isMark("=")) return { variables, assigns: next().text === "=" };
      break;
    }
    index = start;
    return { variables: [], assigns: false };
  }

  function parseCommand(): Command {
    const operands: Operand[] = [];
    while (peek().kind !== "close" && !isMark(")") && !isMark("|")) operands.push(parseOperand());
    if (operands.length === 0) throw goFault("a value is missing", peek());
    return operands;
  }

  function parseOperand(): Operand {
    const token = next();
    switch (token.kind) {
      case "string":
        return { kind: "string", value: token.text };
      case "number":
        return { kind: "number", text: token.text };
      case "variable":
        return { kind: "variable", name: token.text, names: parseFields() };
      case "field":
        return token.text === "" ? { kind: "dot" } : { kind: "field", names: [token.text, ...parseFields()] };
      case "word":
        return withFields(wordOperand(token.text));
      case "mark":
        if (token.text === "(") return parseGroup(token);
    }
    throw goFault(`${JSON.stringify(token.text)} is not expected here`, token);
  }

  function parseGroup(open: Token): Operand {
    const pipeline = parsePipeline();
    if (!isMark(")")) throw goFault("the parenthesis is not closed", open);
    index += 1;
    return withFields({ kind: "group", pipeline });
  }

  function withFields(operand: Operand): Operand {
    const names = parseFields();
    return names.length === 0 ? operand : { kind: "chain", operand, names };
  }

  function parseFields(): readonly string[] {
    const names: string[] = [];
    while (peek().kind === "field" && !peek().spaced && peek().text !== "") names.push(next().text);
    return names;
  }

  function isMark(text: string): boolean {
    const token = peek();
    return token.kind === "mark" && token.text === text;
  }

  function peek(): Token {
    const token = tokens[index];
    if (token === undefined) throw goFault("it ends within an action", tokens.at(-1) ?? { line: 1, column: 1 });
    return token;
  }

  function next(): Token {
    const token = peek();
    index += 1;
    return token;
  }

  function close(): void {
    const token = next();
    if (token.kind !== "close") throw goFault(`${JSON.stringify(token.text)} is not expected here`, token);
  }
}

const MAX_DEPTH = 200;

function wordOperand(word: string): Operand {
  if (word === "true" || word === "false") return { kind: "bool", value: word === "true" };
  return word === "nil" ? { kind: "nil" } : { kind: "function", name: word };
}
