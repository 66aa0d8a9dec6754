-- Demo: six energy companies, 2021-2023. Figures follow published annual reports
-- in outline and are for demonstration only. Units stand in the semantic model
-- on purpose: no column name tells them.
CREATE TABLE companies (
  company_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  stock_code TEXT NOT NULL,
  industry TEXT NOT NULL,
  headquarters TEXT NOT NULL,
  founded_year INTEGER
);
CREATE TABLE financials (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies(company_id),
  year INTEGER NOT NULL,
  revenue REAL,
  net_profit REAL,
  UNIQUE (company_id, year)
);
CREATE TABLE production (
  id INTEGER PRIMARY KEY,
  company_id INTEGER NOT NULL REFERENCES companies(company_id),
  year INTEGER NOT NULL,
  product TEXT NOT NULL,
  amount REAL NOT NULL,
  unit TEXT NOT NULL,
  UNIQUE (company_id, year, product)
);
