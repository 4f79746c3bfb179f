import http from "node:http";

export type Answer = { status: number; type: string; body: Record<string, unknown> };

export async function getJson(url: string): Promise<Answer> {
  const response = await fetch(url);
  return { status: response.status, type: contentType(response), body: await readObject(response) };
}

export async function postCall(url: string, tool: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${url}/tools/${tool}/call`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, type: contentType(response), body: await readObject(response) };
}

/** For headers that `fetch` sets itself. */
export function requestWith(
  url: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject).end();
  });
}

function contentType(response: Response): string {
  return response.headers.get("content-type")?.split(";")[0] ?? "";
}

async function readObject(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}
