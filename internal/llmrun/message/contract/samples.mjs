// Sample values of TypeScript types.
//
// Every string that a client could write has a unique marker, such as text-17, so that a reader of the sample can be asked where
// each value went. Numbers are unique too. Only values that have a meaning to a reader of the format are fixed: literals, media
// types, indexes.

import ts from "typescript";

// A sample ends at this depth, and has optional fields only up to the other one: what is deeper is never content.
const deepest = 7;
const deepestOptional = 2;

export const mimeTypes = ["image/png", "audio/wav", "video/mp4", "application/pdf"];

const mimeOf = [
  [/image|screenshot/i, "image/png"],
  [/audio|speech/i, "audio/wav"],
  [/video/i, "video/mp4"],
  [/document|pdf/i, "application/pdf"],
  [/text-plain|source_type=text|^text$/, "text/plain"],
];

// Fields that change what a part is: false unless a variant sets them.
export const flags = ["providerExecuted", "thought", "is_error", "isError", "preliminary"];

export class Sampler {
  #count = 0;

  // oneOf contains the types of objects of which one field is set.
  constructor(checker, node, oneOf) {
    this.checker = checker;
    this.node = node;
    this.oneOf = oneOf;
  }

  // start begins a sample of a member. `all` adds optional fields; `choose` selects an alternative of a top-level field.
  start(member, { all = false, mime, flag, choose, role = "user", always = [] } = {}) {
    this.#count = 0;
    this.all = all;
    this.mime = mime;
    this.flag = flag;
    this.choose = choose;
    this.role = role;
    this.always = [...always, choose?.name, flag];
    this.generic = false;
    this.member = this.hint = member;
  }

  properties(type) {
    return this.checker.getPropertiesOfType(type).filter((p) => {
      const property = this.typeOf(p);
      return !p.name.startsWith("__") && !this.isNothing(property) && property.getCallSignatures().length == 0;
    });
  }

  typeOf(property) {
    return this.checker.getTypeOfSymbolAtLocation(property, this.node);
  }

  // isOptional ignores types that include undefined: this is how one package declares the fields that its service requires.
  isOptional(property) {
    return Boolean(property.flags & ts.SymbolFlags.Optional);
  }

  isNullable(property) {
    const type = this.typeOf(property);
    return type.isUnion() && type.types.some((t) => t.flags & ts.TypeFlags.Null);
  }

  // isNothing says whether a property can't be set: optional members that exclude each other are declared as never.
  isNothing(type) {
    return Boolean(type.flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined | ts.TypeFlags.ESSymbolLike));
  }

  // alternatives returns the members of a union without null and undefined, and without binary types beside strings.
  alternatives(type) {
    const { Undefined, Null, Never, String, StringLiteral, BooleanLiteral, Instantiable } = ts.TypeFlags;
    if (type.flags & Instantiable) type = this.checker.getBaseConstraintOfType(type) ?? type;
    if (!type.isUnion() || type.flags & ts.TypeFlags.Boolean) return [type];
    const all = type.types.filter((t) => !(t.flags & (Undefined | Null | Never)));
    if (all.length && all.every((t) => t.flags & BooleanLiteral)) return [this.checker.getBooleanType()];
    const hasString = all.some((t) => t.flags & String);
    return all.filter((t) => !hasString || !(this.isBinary(t) || t.flags & StringLiteral || this.isOpenString(t)));
  }

  // isOpenString says whether a type is string & {}, which declares that a list of literals isn't complete.
  isOpenString(type) {
    return type.isIntersection() && type.types.some((t) => t.flags & ts.TypeFlags.String);
  }

  // element returns the type of a list's elements.
  element(type) {
    return this.checker.isArrayLikeType(type) ? type.getNumberIndexType() : undefined;
  }

  // isBinary tells a built-in type from one of the same name, such as Response.
  isBinary(type) {
    const binary = ["Uint8Array", "ArrayBuffer", "Buffer", "Blob", "URL", "Date", "ReadableStream", "Response"];
    const file = type.symbol?.declarations?.[0].getSourceFile().fileName ?? "";
    return binary.includes(type.symbol?.name) && /node_modules\/(typescript|@types|buffer)\//.test(file);
  }

  value(type, name, depth = 0, stack = [], doc = "") {
    const { Any, Unknown, Null, String, NumberLike, BigIntLike, BooleanLike, TemplateLiteral, NonPrimitive } = ts.TypeFlags;
    const options = this.alternatives(type);
    if (options.length == 0) return null;
    if (options.length > 1) type = this.#choice(options, name, depth);
    else type = options[0];
    if (type.isStringLiteral()) return type.value;
    if (type.flags & TemplateLiteral) return type.texts.join("name");
    if (type.isNumberLiteral()) return type.value;
    if (type.flags & ts.TypeFlags.BooleanLiteral) return type.intrinsicName == "true";
    if (type.flags & String || this.isOpenString(type) || this.isBinary(type))
      return this.#text(name, doc, this.isBinary(type) ? type.symbol.name : "");
    if (type.flags & (NumberLike | BigIntLike)) return /index$/i.test(name) ? 0 : 1000 + ++this.#count;
    if (type.flags & BooleanLike) return flags.includes(name) ? name == this.flag : true;
    if (type.flags & Null) return null;
    if (type.flags & (Any | Unknown | NonPrimitive)) return { key: this.#text("value", "") };
    if (this.checker.isTupleType(type))
      return this.checker.getTypeArguments(type).map((t) => this.value(t, singular(name), depth, stack, doc));
    if (this.element(type)) return [this.value(this.element(type), singular(name), depth, stack, doc)];
    if (depth > deepest || stack.includes(type)) return {};
    return this.object(type, name, depth, [...stack, type]);
  }

  object(type, name, depth = 0, stack = [type]) {
    const out = {};
    const outer = this.hint;
    this.hint = mimeOf.some(([pattern]) => pattern.test(name)) ? name : this.hint;
    for (const property of this.oneOf.has(type) ? [] : this.properties(type)) {
      const optional = this.isOptional(property);
      const wanted = this.all ? depth < deepestOptional : depth == 0 && this.always.includes(property.name);
      if (optional && !wanted) continue;
      const inner = this.typeOf(property);
      if (optional && stack.includes(this.alternatives(inner)[0])) continue;
      const doc = ts.displayPartsToString(property.getDocumentationComment(this.checker));
      out[property.name] = this.value(inner, property.name, depth + 1, stack, doc);
    }
    const isEmpty = Object.keys(out).length == 0;
    const index = type.getStringIndexType();
    if (index && isEmpty)
      out.key =
        index.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)
          ? this.#text("value", "")
          : this.value(index, "value", depth + 1, stack);
    // An object without required fields would be empty: it gets a text, or else its first field.
    if (!index && isEmpty && (depth > 0 || this.oneOf.has(type))) {
      const all = this.properties(type);
      const some = all.filter((p) => p.name == "text" || (p.name == "type" && !this.oneOf.has(type)));
      for (const p of some.length ? some : all.slice(0, 1)) out[p.name] = this.value(this.typeOf(p), p.name, depth + 1, stack);
    }
    this.hint = outer;
    return out;
  }

  // #choice selects the alternative that a variant asks for, or else the first: a reader is expected to know all.
  #choice(options, name, depth) {
    if (depth == 1 && this.choose?.name == name) return options[this.choose.index];
    if (depth == 1 && this.choose && singular(this.choose.name) == name) return this.choose.element ?? options[0];
    const object = options.find((t) => t.getStringIndexType());
    if (object && /^(input|args|arguments|parameters)$/.test(name)) return object;
    const literal = (value) => options.find((t) => t.isStringLiteral() && value(t.value));
    return (
      options.find((t) => t.flags & ts.TypeFlags.String) ??
      literal((v) => v == "completed") ??
      literal((v) => !/unspecified|unknown|error/i.test(v)) ??
      options[0]
    );
  }

  #text(name, doc, binary) {
    const n = ++this.#count;
    const word = name.replace(/[^A-Za-z]/g, "") || "value";
    if (/mime|media_?type/i.test(name)) return this.#mimeType();
    if (name == "role") return this.role;
    if (binary == "URL" || /^ur[il]|ur[il](\[\])?$/i.test(name)) return `https://example.com/${word}-${n}`;
    if (binary == "Date" || (/(_at|At|_time|timestamp|date)$/.test(name) && !/file/.test(name)))
      return `2026-01-02T03:04:05.${String(n).padStart(3, "0")}Z`;
    if (
      binary ||
      /^(data|base64|b64_json|bytes|blob|image|images\[\]|file|audio|input_?[aA]udio)$/.test(name) ||
      (/base64/i.test(doc) && !/^(text|content)$/.test(name))
    )
      return Buffer.from(`marker-${n}..`).toString("base64");
    if (/arguments|toolUse|tool-input/.test(this.member) && /^(delta|input|inputTextDelta)$/.test(name))
      return JSON.stringify({ key: `${word}-${n}` });
    if (/^(arguments|args|partial_json)$/.test(name) || /stringified|json[ -](string|encoded|object)|as JSON/i.test(doc))
      return JSON.stringify({ key: `${word}-${n}` });
    return `${word}-${n}`;
  }

  #mimeType() {
    const known = mimeOf.find(([pattern]) => pattern.test(this.hint));
    this.generic ||= !known;
    return known?.[1] ?? this.mime ?? mimeTypes[0];
  }
}

const singular = (name) => name + "[]";
