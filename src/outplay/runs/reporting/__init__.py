"""Results for CI servers: JUnit, CTRF, Allure and GitHub, all written from one report, and failures known before."""
