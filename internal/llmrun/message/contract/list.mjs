// Writes the contract: what the declarations of the packages in package.json say about messages, parts, events and usage.
//
// Run in a directory with this file and node_modules: node list.mjs FILE. One line of the file is one member of a union, or one
// field of a usage type, so that a new version of a package shows as lines in a diff.

import fs from "node:fs";
import ts from "typescript";

import { Sampler, flags, mimeTypes } from "./samples.mjs";
import { modules, unions } from "./unions.mjs";

const roots = Object.entries(unions).flatMap(([pkg, list]) =>
  list.map(([kind, union, type, options = {}]) => ({ pkg, kind, union, type, ...options })),
);

// open compiles a file that imports the modules and has an alias of each root.
function open() {
  const name = `${process.cwd()}/roots.ts`;
  const text = [
    ...Object.entries(modules).map(([name, from]) => `import * as ${name} from "${from}";`),
    ...roots.map(({ type }, i) => `export type Root${i} = ${type};`),
  ].join("\n");
  const options = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ESNext,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (file, ...rest) => (file == name ? ts.createSourceFile(file, text, rest[0]) : getSourceFile(file, ...rest));
  host.fileExists = (file) => file == name || fileExists(file);
  host.readFile = (file) => (file == name ? text : readFile(file));
  const program = ts.createProgram([name], options, host);
  const file = program.getSourceFile(name);
  const problems = program.getSemanticDiagnostics(file).map((d) => ts.flattenDiagnosticMessageText(d.messageText, "\n"));
  if (problems.length) throw new Error(`unions.mjs names types that don't exist:\n${problems.join("\n")}`);
  const aliases = file.statements.filter(ts.isTypeAliasDeclaration);
  const checker = program.getTypeChecker();
  return { checker, file, types: aliases.map((a) => checker.getTypeAtLocation(a.name)) };
}

const { checker, file, types } = open();
const sampler = new Sampler(checker, file, new Set(types.filter((_, i) => roots[i].oneOf)));

const isList = (t) => Boolean(sampler.element(t));
const isObject = (t) =>
  Boolean(t.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) &&
  !isList(t) &&
  !sampler.isBinary(t) &&
  !sampler.isOpenString(t);

// members returns the objects of a union, each with what identifies it.
function members(type, { oneOf, keyed, union }) {
  if (keyed)
    return sampler.properties(type).map((p) => ({ type: sampler.alternatives(sampler.typeOf(p)).find(isObject), id: p.name }));
  const objects = sampler.alternatives(type).filter(isObject);
  if (oneOf) return objects.flatMap((t) => sampler.properties(t).map((property) => ({ type: t, id: property.name, property })));
  // Some unions have no common field: each of their objects has one that no other may have.
  const single = objects.map((t) => ({ type: t, id: only(t) }));
  if (single.every(({ id }) => id) && objects.length > 1) return single;
  return distinguish(objects.flatMap(split), union);
}

// split makes a member of each type that one declaration stands for, as in "input_text" | "input_image".
function split(type) {
  const all = literals(type);
  const types = all[0]?.[0] == "type" ? all[0][1].split("|") : [];
  if (types.length < 2) return [{ type, literals: all }];
  return types.map((value) => ({ type, literals: [["type", value], ...all.slice(1)], literal: value }));
}

function only(type) {
  const properties = sampler.properties(type);
  return properties.length == 1 && !literals(type).length ? properties[0].name.replace("$", "") : undefined;
}

const usual = ["type", "event", "event_type", "eventType", "role"];

// literals returns the fields of a type that have one or a few values, the usual discriminators first.
function literals(type) {
  const list = sampler.properties(type).flatMap((p) => {
    const values = sampler
      .alternatives(sampler.typeOf(p))
      .map((t) => (t.isStringLiteral() ? t.value : t.flags & ts.TypeFlags.TemplateLiteral ? t.texts.join("*") : undefined));
    return values.every((v) => v !== undefined) ? [[p.name, values.join("|")]] : [];
  });
  const rank = ([name]) => (usual.indexOf(name) + usual.length + 1) % (usual.length + 1);
  return list.sort((a, b) => rank(a) - rank(b));
}

// distinguish makes IDs: the first discriminator, and what distinguishes members that share it: another literal, or a field that
// only one of them must have.
function distinguish(list, union) {
  if (list.length == 1)
    return list.map((m) => ({ ...m, id: m.literals.find(([name, value]) => isUsual(name) && !value.includes("|"))?.[1] ?? union }));
  const named = list.map((m) => ({ ...m, id: m.literals[0]?.[1] ?? typeName(m.type) ?? "object" }));
  const out = named.map((m) => {
    const same = named.filter((other) => other != m && other.id == m.id);
    if (same.length == 0) return m;
    const others = ([name, value]) => same.filter((o) => o.literals.find(([n]) => n == name)?.[1] != value).length;
    const literal = m.literals
      .slice(1)
      .sort((a, b) => others(b) - others(a))
      .find((l) => others(l) > 0);
    const own = sampler.properties(m.type).find((p) => !sampler.isOptional(p) && same.every((o) => isFree(o.type, p.name)));
    return { ...m, id: `${m.id} (${literal?.join("=") ?? own?.name ?? "other"})` };
  });
  return out.filter((m, i) => out.findIndex((other) => other.id == m.id) == i);
}

// isFree says whether an object need not have a field.
function isFree(type, name) {
  const property = sampler.properties(type).find((p) => p.name == name);
  return !property || sampler.isOptional(property);
}

const isUsual = (name) => usual.includes(name);

// isOpen says whether an object can have any type, so that nothing is known about it.
const isOpen = (type) => sampler.properties(type).some((p) => p.name == "type" && sampler.typeOf(p).flags & ts.TypeFlags.String);

function typeName(type) {
  const name = (type.aliasSymbol ?? type.symbol)?.name;
  return name?.startsWith("__") ? undefined : name;
}

// samples returns the values of a member: with required and with all fields, and for each alternative of a field one of its own.
function samples({ type, id, property, literal }, { modifies = {}, omit = [], always, role }) {
  const make = (options) => {
    sampler.start(id, { role, always, ...options });
    if (!property) {
      const value = { ...sampler.object(type, typeName(type) ?? id), ...(literal && { type: literal }) };
      return Object.fromEntries(Object.entries(value).filter(([name]) => !omit.includes(name)));
    }
    const out = {};
    sampler.flag = id;
    for (const name of [modifies[id], id].filter(Boolean)) {
      out[name] = sampler.value(sampler.typeOf(type.getProperty(name)), name, 1);
    }
    return out;
  };
  const out = { required: make({}) };
  out.all = make({ all: true });
  const isGeneric = sampler.generic;
  for (const [name, options] of property ? [] : choices(type)) out[name] = make(options);
  if (isGeneric) for (const mime of mimeTypes.slice(1)) out[mime] = make({ all: true, mime });
  const all = Object.entries(out).filter(([, value]) => Object.keys(value).length);
  return Object.fromEntries(all.filter(([, value], i) => all.findIndex((other) => same(other[1], value)) == i));
}

const same = (a, b) => JSON.stringify(a).replaceAll(/-\d+/g, "") == JSON.stringify(b).replaceAll(/-\d+/g, "");

// choices returns the variants of a type: each alternative of a field that may be text, a list, or one of several objects. Objects
// that are listed as members of their own union need no variants, nor do fields without content.
function* choices(type) {
  for (const p of sampler.properties(type)) {
    if (flags.includes(p.name)) yield [p.name, { flag: p.name }];
    if (noContent.test(p.name)) continue;
    const options = sampler.alternatives(sampler.typeOf(p));
    const list = options.findIndex(isList);
    const objects = options.filter(isObject);
    if (options.length > 1 && (list >= 0 || objects.length) && !(list < 0 && objects.every((t) => listed.has(t)))) {
      for (const [index, t] of options.entries())
        if (isObject(t) || isList(t) || t.flags & ts.TypeFlags.String)
          yield [`${p.name}=${label(t)}`, { choose: { name: p.name, index } }];
    }
    const elements = list < 0 ? [] : sampler.alternatives(sampler.element(options[list])).filter((t) => isObject(t) && !isOpen(t));
    if (elements.length < 2 || elements.every((t) => listed.has(t))) continue;
    for (const element of elements) yield [`${p.name}[]=${label(element)}`, { choose: { name: p.name, index: list, element } }];
  }
}

const noContent = new RegExp(
  "^(tools?|tool_choice|actions?|operation|caller|caller_?info|citations?|annotations?|cache_control|" +
    ".*[mM]etadata|warnings|raw|request|.*[oO]ptions|origin|input_transformations)$",
);

function label(type) {
  if (isList(type)) return "list";
  return isObject(type)
    ? (literals(type).find(([name]) => isUsual(name))?.[1] ?? only(type) ?? typeName(type) ?? "object")
    : checker.typeToString(type);
}

// fields returns the counters of a usage type with their paths.
function* fields(type, path = "", stack = []) {
  for (const p of sampler.properties(type)) yield* field(sampler.typeOf(p), path + p.name, stack, p);
  const index = type.getStringIndexType();
  if (index) yield { member: path + "*", type: checker.typeToString(index), doc: "" };
}

function* field(type, path, stack, property) {
  for (let t of sampler.alternatives(type)) {
    let at = path;
    if (isList(t)) [t, at] = [sampler.element(t), path + "[]"];
    if (stack.includes(t)) continue;
    const inner = sampler.alternatives(t).filter(isObject);
    if (inner.length) for (const o of inner) yield* fields(o, at + ".", [...stack, t]);
    else yield { member: at, type: checker.typeToString(t), doc: property ? firstSentence(property) : "" };
  }
}

function firstSentence(property) {
  return ts
    .displayPartsToString(property.getDocumentationComment(checker))
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.]) /)[0];
}

const lists = roots.map((root, i) => members(types[i], root));
const listed = new Set(lists.flat().map((m) => m.type));
const lines = roots.flatMap((root, i) => {
  const { pkg, kind, union } = root;
  const list = lists[i];
  if (list.length == 0) throw new Error(`${pkg}: ${union} has no members`);
  const out = list.map((m) => {
    const all = m.property ? [m.property] : sampler.properties(m.type);
    const required = all.filter((p) => !sampler.isOptional(p)).map((p) => p.name);
    // What may be absent or null: something else may be there in its place.
    const optional = all.filter((p) => sampler.isOptional(p) || sampler.isNullable(p)).map((p) => p.name);
    return { package: pkg, union, kind, member: m.id, required, optional, samples: samples(m, root) };
  });
  if (kind != "usage") return out;
  const counters = list.flatMap((m) => [...fields(m.type)]);
  const unique = counters.filter((f, i) => counters.findIndex((g) => g.member == f.member) == i);
  return [...out, ...unique.map((f) => ({ package: pkg, union, kind: "field", ...f }))];
});

const versions = Object.fromEntries(
  Object.keys(unions).map((pkg) => [pkg, JSON.parse(fs.readFileSync(`node_modules/${pkg}/package.json`)).version]),
);
const order = (l) => [l.package, l.union, l.kind, l.member].join("\0");
lines.sort((a, b) => (order(a) < order(b) ? -1 : 1));
const text = lines.map((line) => JSON.stringify(line)).join(",\n");
fs.writeFileSync(process.argv[2], `{"versions": ${JSON.stringify(versions, null, 2)},\n"members": [\n${text}\n]}\n`);
