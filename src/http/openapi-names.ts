/**
 * Gives names to the parts of an OpenAPI document that repeat: a generated client has one type for each instead of one
 * for each place, and the document is a third as large.
 */
interface Part {
  [key: string]: unknown;
}

interface Operation extends Part {
  operationId: string;
  parameters: Part[];
  requestBody?: { content: Record<string, { schema: Part }> };
  responses: Record<string, { content?: Record<string, { schema: Part }> }>;
}

interface Document extends Part {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Part>;
}

type Section = "schemas" | "parameters" | "responses";

/** A copy of the document, whose parts are references to its components. */
export function nameParts(document: object): Part {
  const copy = structuredClone(document) as Document;
  const store = createStore(copy.components);
  const operations = Object.values(copy.paths).flatMap((item) => Object.values(item));
  const repeated = findRepeated(operations.flatMap(({ parameters }) => parameters));
  for (const operation of operations) {
    const name = pascal(operation.operationId);
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      media.schema = store.schema(`${name}Body`, media.schema);
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (status.startsWith("2"))
        for (const media of Object.values(answer.content ?? {}))
          media.schema = store.schema(`${name}Answer`, media.schema);
      else operation.responses[status] = store.put("responses", `${errorName(answer)}${pascal(status)}`, answer);
    }
    operation.parameters = operation.parameters.map((parameter) =>
      repeated.has(JSON.stringify(parameter))
        ? store.put("parameters", pascal(String(parameter.name)), parameter)
        : parameter,
    );
  }
  return copy;
}

function createStore(components: Document["components"]) {
  const sections: Record<Section, Part> = {
    schemas: components.schemas ?? {},
    parameters: components.parameters ?? {},
    responses: components.responses ?? {},
  };
  Object.assign(components, sections);
  const known = new Map<string, string>();

  /** Under this name, or with a number if another part has it. */
  function put(section: Section, wanted: string, part: Part): Part {
    const key = `${section} ${JSON.stringify(part)}`;
    let name = known.get(key);
    if (name === undefined) {
      name = wanted;
      for (let n = 2; name in sections[section]; n += 1) name = `${wanted}${n}`;
      known.set(key, name);
      sections[section][name] = part;
    }
    return { $ref: `#/components/${section}/${name}` };
  }

  /** Objects with properties get a name, also those inside; the rest stays where it is. */
  function schema(name: string, part: Part): Part {
    if (part.$ref !== undefined) return part;
    const made: Part = { ...part };
    const { properties, items, additionalProperties } = part as Record<string, Part | undefined>;
    if (properties !== undefined)
      made.properties = Object.fromEntries(
        Object.entries(properties).map(([key, each]) => [key, schema(name + pascal(key), each as Part)]),
      );
    if (isPart(items)) made.items = schema(`${name}Item`, items);
    if (isPart(additionalProperties)) made.additionalProperties = schema(`${name}Value`, additionalProperties);
    for (const word of ["anyOf", "oneOf", "allOf"])
      if (Array.isArray(part[word])) made[word] = part[word].map((each: Part, at) => schema(`${name}${at + 1}`, each));
    return part.type === "object" && properties !== undefined ? put("schemas", name, made) : made;
  }

  return { put, schema };
}

function isPart(value: unknown): value is Part {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findRepeated(parts: readonly Part[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const text of parts.map((part) => JSON.stringify(part))) (seen.has(text) ? repeated : seen).add(text);
  return repeated;
}

/** The name of the body that all failures of a server have, or of an answer elsewhere. */
function errorName({ content = {} }: Operation["responses"][string]): string {
  const { $ref } = content["application/json"]?.schema ?? {};
  const reference = typeof $ref === "string" ? $ref : "#/Answer";
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]/).filter((word) => word !== "");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** An OpenAPI document with its components in the place of the references to them. */
export function withoutReferences<T>(document: T): T {
  const follow = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(follow);
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string" && $ref.startsWith("#/components/")) return follow(find($ref));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, follow(each)]));
  };
  const find = (reference: string): unknown =>
    reference
      .slice(2)
      .split("/")
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);
  return follow(document) as T;
}
