// The cheapest of 24 articles, asked for all at once. What the budget does not pay for is named, not lost.
const articles = Array.from({ length: 24 }, (_, at) => `a${String(at + 1).padStart(2, "0")}`);
const prices: number[] = [];
const later: string[] = [];

await Promise.all(
  articles.map(async (article) => {
    try {
      prices.push((await supplier.get_quote({ article })).price);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "CALL_BUDGET_EXCEEDED") throw error;
      if (later.length === 0) console.log(error.message);
      later.push(article);
    }
  }),
);

console.log(`${prices.length} quotes, the best is ${Math.min(...prices)}`);
console.log(`without a quote: ${later.join(" ")}`);
