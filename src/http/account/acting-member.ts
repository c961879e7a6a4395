import type { RouteRequest } from "../route.ts";
import type { ActingMember } from "./principal.ts";

/** The member of a route for members, where mount.ts has checked that there is one. */
export function getMember({ member }: Pick<RouteRequest, "member">): ActingMember {
  if (member === undefined) throw new Error("a route for members was called without one");
  return member;
}
