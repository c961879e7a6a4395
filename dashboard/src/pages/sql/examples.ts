/** Queries to begin with: plain SQL that both engines run. */
export const EXAMPLES = [
  {
    name: "Events by type",
    text: "SELECT type, count() AS events\nFROM events\nGROUP BY type\nORDER BY events DESC\nLIMIT 20",
  },
  {
    name: "Visitors by day",
    text: "SELECT toDate(timestamp) AS day, count(DISTINCT anonymous_id) AS visitors\nFROM events\nWHERE timestamp >= now() - INTERVAL 30 DAY\nGROUP BY day\nORDER BY day\nLIMIT 31",
  },
  {
    name: "Wallets with the most revenue",
    text: "SELECT address, round(sum(revenue), 2) AS revenue, count() AS events\nFROM events\nWHERE address != ''\nGROUP BY address\nORDER BY revenue DESC\nLIMIT 50",
  },
  {
    name: "Newest events",
    text: "SELECT timestamp, type, event, page_path, address\nFROM events\nORDER BY timestamp DESC\nLIMIT 100",
  },
] as const;
