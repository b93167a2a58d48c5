"use strict";

// Tables and charts to take away, as `auditfw export` writes them: components/report/export, with the rules of core/escaping

const takingAway = (() => {
  const rules = JSON.parse(document.getElementById("export-rules").textContent);
  const formula = new RegExp(rules.formula);

  function csvField(text) {
    const field = formula.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  }

  function latex(text) {
    const shown = [...text].map((sign) => rules.latex[sign] ?? sign).join("");
    return rules.then.reduce((so, [pattern, instead]) => so.replace(new RegExp(pattern, "g"), instead), shown);
  }

  // The texts of a cell: in a wide column without its interval, and the two ends

  function parts(cell, wide) {
    const range = cell.querySelector(".range");
    if (!wide || !range) return [cell.textContent, ...(wide ? ["", ""] : [])];
    const ends = range.textContent.replace(/^\[|\]$/g, "");
    const comma = ends.indexOf(", ");
    const both = comma < 0 ? [ends, ""] : [ends.slice(0, comma), ends.slice(comma + 2)];
    return [cell.textContent.slice(0, -range.textContent.length - 1), ...both];
  }

  function csv(table) {
    const [head, ...rows] = [...table.rows].map((row) => [...row.cells]);
    const wide = head.map((_, at) => rows.some((row) => row[at].querySelector(".range")));
    const heads = head.flatMap((cell, at) => ["", ...(wide[at] ? [" low", " high"] : [])].map((end) => cell.textContent + end));
    const lines = [heads, ...rows.map((row) => row.flatMap((cell, at) => parts(cell, wide[at])))];
    return lines.map((line) => `${line.map(csvField).join(",")}\n`).join("");
  }

  function tex(table, caption, name) {
    const [head, ...rows] = [...table.rows].map((row) => `${[...row.cells].map((cell) => latex(cell.textContent)).join(" & ")} \\\\`);
    const align = [...table.rows[0].cells].map((cell) => (cell.classList.contains("number") ? "r" : "l")).join("");
    return [
      `% ${name} ${rules.needs}`, "\\begin{table}", "\\centering", `\\caption{${latex(caption)}}`, `\\label{tab:${name}}`,
      `\\begin{tabular}{${align}}`, "\\toprule", head, "\\midrule", ...rows, "\\bottomrule", "\\end{tabular}", "\\end{table}", "",
    ].join("\n");
  }

  // The picture as a file: in the colours of paper, with its title and fonts

  function svg(picture) {
    const copy = picture.cloneNode(true);
    const [x, top, width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
    const sized = { viewBox: `${x} 0 ${width} ${height + top}`, width, height: height + top, "font-family": rules.font };
    const set = (one, attributes) => { for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value); return one; };
    const made = (tag, attributes) => set(document.createElementNS(picture.namespaceURI, tag), attributes);
    const title = made("text", { x: 0, y: rules.title, "font-size": rules.title, "font-weight": "bold" });
    title.textContent = picture.getAttribute("aria-label");
    copy.removeAttribute("class");
    set(copy, sized).prepend(made("rect", { x, y: 0, width, height: height + top, fill: "white" }), title);
    for (const name of ["fill", "stroke"]) {
      for (const one of copy.querySelectorAll(`[${name}]`)) one.setAttribute(name, rules.inks[one.getAttribute(name)] ?? one.getAttribute(name));
    }
    return `${new XMLSerializer().serializeToString(copy)}\n`;
  }

  function link(word, file, type, text) {
    const one = document.createElement("a");
    Object.assign(one, { textContent: word, title: file, download: file, href: "data:," });
    const fill = () => { one.href = `data:${type};charset=utf-8,${encodeURIComponent(text())}`; };
    for (const event of ["pointerenter", "focus", "click"]) one.addEventListener(event, fill);
    return one;
  }

  function links(block, name, title) {
    const table = block.matches("table") ? block : block.querySelector("table");
    const held = block.closest("figure") ?? block.closest(".scroll");
    const own = held.querySelector("figcaption") ?? held.previousElementSibling;
    const left = held.querySelector(".left") ?? held.nextElementSibling;
    const words = own?.matches("figcaption, .caption") ? `${title}: ${own.textContent}` : title;
    const caption = left?.matches(".left") ? `${words} (${left.textContent})` : words;
    const made = [link("CSV", `${name}.csv`, "text/csv", () => csv(table)), link("LaTeX", `${name}.tex`, "text/x-tex", () => tex(table, caption, name))];
    const picture = block.querySelector("svg.drawn-wide");
    if (picture) made.push(link("SVG", `${name}.svg`, "image/svg+xml", () => svg(picture)));
    const line = document.createElement("p");
    line.className = "take";
    line.append(...made.flatMap((one, n) => (n ? [" · ", one] : [one])));
    held.matches("figure") ? held.append(line) : held.after(line);
  }

  for (const part of document.querySelectorAll("main section")) {
    const title = part.querySelector("h2, h3, h4")?.textContent ?? "";
    const every = [...part.querySelectorAll("figure.picture, table")].filter((one) => one.closest("section") === part);
    const blocks = every.filter((one) => one.matches("figure") || !one.closest("figure.picture"));
    const name = title.toLowerCase().replace(/[^a-z0-9_]+/g, "-").slice(0, rules.longest).replace(/^-+|-+$/g, "") || "section";
    blocks.forEach((block, n) => { if (block.querySelector("td, th")) links(block, blocks.length > 1 ? `${name}-${n + 1}` : name, title); });
  }

  return { csvField, link };
})();
