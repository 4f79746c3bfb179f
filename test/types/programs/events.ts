import type { EventOf, Plane } from "toolplane";

export function watch(plane: Plane, tell: (line: string) => void): () => void {
  const show = ({ tool, success, durationMs }: EventOf<"tool.result">) =>
    tell(`${tool} ${success} ${durationMs}`);
  const stops = [
    plane.on("tool.result", show),
    plane.on("server.error", ({ server, message }) => tell(`${server} ${message}`)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
