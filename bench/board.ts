import type { QueryService } from "./query-service.ts";

export const CHARTS = 12;

type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

export interface MadeBoard {
  readonly id: string;
  readonly charts: readonly { readonly id: string; readonly title: string }[];
  /** A request to the service. */
  readonly call: Call;
}

/** The charts of all templates, as many as a page has. */
export async function makeBoard({ credentials: { apiUrl, apiKey }, projects }: QueryService): Promise<MadeBoard> {
  const call: Call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const make = (template: string) => call<{ id: string }>("POST", "/v0/boards", { template, project_id: projects[0] });
  const { id } = await make("growth");
  for (const template of ["revenue", "defi", "retention"]) {
    const { id: from } = await make(template);
    const { data } = await call<{ data: { id: string }[] }>("GET", `/v0/boards/${from}/charts`);
    for (const chart of data) {
      const { charts } = await call<{ charts: number }>("GET", `/v0/boards/${id}`);
      if (charts < CHARTS) await call("PUT", `/v0/boards/${from}/charts/${chart.id}/move`, { targetBoardId: id });
    }
  }
  const { data: charts } = await call<{ data: { id: string; title: string }[] }>("GET", `/v0/boards/${id}/charts`);
  return { id, charts, call };
}
