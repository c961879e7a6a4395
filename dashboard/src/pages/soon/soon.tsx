import { Empty } from "../../ui/states.tsx";

export function Soon() {
  return (
    <>
      <h1 className="hidden">Not yet</h1>
      <Empty title="This page is being built">The API has the same data already: see /docs.</Empty>
    </>
  );
}
