import { SystemAnswer } from "../../contract/system.ts";
import { type Route, readRoute } from "../route.ts";

export function systemState(): Route {
  return readRoute({
    method: "GET",
    path: "/api/settings/system",
    operationId: "getSystem",
    tag: "Settings",
    summary: "Versions, disk and checks of the service",
    access: "member",
    role: "admin",
    answers: { 200: SystemAnswer },
    handle: async ({ describeSystem }) => ({
      status: 200,
      body: { isSuccess: true, data: await describeSystem() },
    }),
  });
}
