package dev.carillon.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class SvgChartTest {
    @Test
    void theChartIsWellFormedEvenWithNamesThatLookLikeMarkup() throws Exception {
        Document chart = parse(draw(Results.costs()));
        assertEquals("svg", chart.getDocumentElement().getTagName());
        List<String> texts = texts(chart);
        assertTrue(texts.contains("Ours & <theirs>"), texts.toString());
        assertTrue(texts.contains("120 ns/op, 1.20 x c"), texts.toString());
        assertTrue(texts.contains("a case (ns/op, shorter is better)"), texts.toString());
    }

    @Test
    void barsAreAsLongAsTheirMedians() throws Exception {
        List<Element> bars = elements(parse(draw(Results.costs())), "rect");
        assertEquals(4, bars.size());
        double peer = width(bars.get(1));
        assertEquals(0.60, width(bars.get(0)) / peer, 0.01);
        assertEquals(0.75, width(bars.get(2)) / peer, 0.01);
        assertEquals(0.50, width(bars.get(3)) / peer, 0.01);
    }

    @Test
    void theLineStandsWhereCEnds() throws Exception {
        Document chart = parse(draw(Results.costs()));
        Element c = elements(chart, "rect").get(3);
        Element line = elements(chart, "line").get(0);
        double end = Double.parseDouble(c.getAttribute("x")) + width(c);
        assertEquals(end, Double.parseDouble(line.getAttribute("x1")), 0.2);
    }

    @Test
    void withoutReferenceThereIsNoLineAndNoRatio() throws Exception {
        Document chart = parse(draw(Results.alone()));
        assertEquals(0, elements(chart, "line").size());
        assertTrue(texts(chart).contains("120 ns/op"));
    }

    private static String draw(CaseResult result) {
        return SvgChart.draw("Ours & <theirs>", List.of(result), Results.MACHINE.line());
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static double width(Element bar) {
        return Double.parseDouble(bar.getAttribute("width"));
    }

    private static List<String> texts(Document chart) {
        return elements(chart, "text").stream().map(Element::getTextContent).toList();
    }

    private static List<Element> elements(Document chart, String tag) {
        NodeList nodes = chart.getElementsByTagName(tag);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }
}
