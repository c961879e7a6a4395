/** Line icons of 16 px, drawn here: a package of icons would be the largest dependency of the page. */
const PATHS = {
  overview: "M2.5 13.5v-4M6.2 13.5V5.8M9.8 13.5V8M13.5 13.5v-11",
  live: "M8 8h.01M5.2 10.8a4 4 0 0 1 0-5.6M10.8 5.2a4 4 0 0 1 0 5.6M3.1 12.9a7 7 0 0 1 0-9.8M12.9 3.1a7 7 0 0 1 0 9.8",
  activity: "M2.5 4h11M2.5 8h11M2.5 12h7",
  funnel: "M2.5 3h11l-4 5v4.5l-3 1V8z",
  retention: "M2.5 2.5h3v3h-3zM2.5 6.5h3v3h-3zM6.5 2.5h3v3h-3zM10.5 2.5h3v3h-3zM6.5 6.5h3v3h-3zM2.5 10.5h3v3h-3z",
  flow: "M2.5 4c5 0 5 4 11 4M2.5 12c5 0 5-4 11-4M2.5 8h11",
  sql: "M4.5 5.5 2 8l2.5 2.5M11.5 5.5 14 8l-2.5 2.5M9.2 3.5 6.8 12.5",
  forms: "M3.5 2.5h9v11h-9zM5.8 5.8h4.4M5.8 8.2h4.4M5.8 10.6h2.4",
  settings:
    "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM6 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  system: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM13.5 13.5l-3-3",
  filter: "M2.5 4.5h11M4.5 8h7M6.5 11.5h3",
  calendar: "M2.5 3.8h11v9.7h-11zM2.5 6.8h11M5.3 2.2v3M10.7 2.2v3",
  down: "M4.5 6.5 8 10l3.5-3.5",
  left: "M9.5 4.5 6 8l3.5 3.5",
  right: "M6.5 4.5 10 8l-3.5 3.5",
  close: "M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  sun: "M8 10.7a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM8 1.7v1M8 13.3v1M1.7 8h1M13.3 8h1M3.5 3.5l.7.7M11.8 11.8l.7.7M3.5 12.5l.7-.7M11.8 4.2l.7-.7",
  moon: "M13.3 9.6A5.7 5.7 0 0 1 6.4 2.7a5.7 5.7 0 1 0 6.9 6.9z",
  auto: "M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4zM8 2.3v11.4",
  circle: "M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4z",
  boards: "M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3.5H9zM2.5 10.5H7v3H2.5zM9 8h4.5v5.5H9z",
  picture: "M2.5 3h11v10h-11zM2.5 11l3.3-3.3 2.4 2.2 2-1.8 3.3 2.9M10.3 6h.01",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  expand: "M9.5 2.5h4v4M13.5 2.5 9.3 6.7M6.5 13.5h-4v-4M2.5 13.5l4.2-4.2",
  wider: "M2.5 8h11M5 5.5 2.5 8 5 10.5M11 5.5 13.5 8 11 10.5",
  taller: "M8 2.5v11M5.5 5 8 2.5 10.5 5M5.5 11 8 13.5 10.5 11",
  check: "M3.2 8.6 6.4 11.8 12.8 4.6",
  copy: "M5.5 5.5h7.5v7.5H5.5zM3 10.5V3h7.5",
  download: "M8 2.5v7.2M5.2 7 8 9.8 10.8 7M3 13.2h10",
  bell: "M8 2.5a3.6 3.6 0 0 0-3.6 3.6c0 3.2-1.4 4.6-1.4 4.6h10s-1.4-1.4-1.4-4.6A3.6 3.6 0 0 0 8 2.5zM6.8 13a1.3 1.3 0 0 0 2.4 0",
  upload: "M8 9.8V2.6M5.2 5.4 8 2.6 10.8 5.4M3 13.2h10",
  table: "M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.7h11M6.5 3v10",
  chart: "M2.5 12.5 6 8.3l2.8 2.4 4.7-6.2",
  info: "M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4zM8 7.3v3.4M8 5.2h.01",
  terminal: "M3 4.5 6.2 7.7 3 10.9M8 11.5h5",
  warning: "M8 2.5 14 13H2zM8 6.3v3.2M8 11.3h.01",
  plus: "M8 3v10M3 8h10",
  user: "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.6a5.3 5.3 0 0 1 10.4 0",
  external: "M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5",
  help: "M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4zM6.4 6.4a1.6 1.6 0 1 1 2.3 1.5c-.5.3-.7.6-.7 1.1M8 11h.01",
  trash: "M3 4.5h10M6.2 4.5V3h3.6v1.5M4.3 4.5l.6 8.8h6.2l.6-8.8",
  play: "M5 3.2v9.6L12.5 8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  back: "M13 8H3.5M7.5 4 3.5 8l4 4",
  stop: "M4.5 4.5h7v7h-7z",
  up: "M4.5 9.5 8 6l3.5 3.5",
  edit: "M3 13l.6-2.7 7-7 2.1 2.1-7 7z",
  key: "M6 10.5A2.75 2.75 0 1 0 6 5a2.75 2.75 0 0 0 0 5.5zM8.6 8H14M12 8v2.2",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the text beside it, or the button's own label, names it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
