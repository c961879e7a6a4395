import { SystemAnswer, type SystemState } from "../../contract/system.ts";
import { type Route, readRoute, success } from "../../http/route.ts";

export function systemRoutes({ describeSystem }: { describeSystem: () => Promise<SystemState> }): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/settings/system",
      operationId: "getSystem",
      tag: "Settings",
      summary: "Versions, disk and checks of the service",
      access: "member",
      role: "admin",
      answers: { 200: SystemAnswer },
      handle: async () => success(await describeSystem()),
    }),
  ];
}
